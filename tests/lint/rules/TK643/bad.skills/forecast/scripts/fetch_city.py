print('Oslo')
