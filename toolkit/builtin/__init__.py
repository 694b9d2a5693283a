"""Ready tools that are safe to give to a model, one per file.

`from toolkit.builtin import Calculator` imports only that tool. Each tool's module also defines its `OPTIONS`, the
settings that a project's configuration can contain for it. A module can define a function `build`, which creates the
tool from these settings; without one, the tool's class is called.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.builtin.calculator import Calculator as Calculator
    from toolkit.builtin.catalog import ReadyTool as ReadyTool, options_of as options_of, ready_tools as ready_tools
    from toolkit.builtin.code_edit import CodeEdit as CodeEdit
    from toolkit.builtin.code_search import CodeSearch as CodeSearch
    from toolkit.builtin.date_time import DateTime as DateTime
    from toolkit.builtin.file_glob import Glob as Glob
    from toolkit.builtin.file_read import FileRead as FileRead
    from toolkit.builtin.file_write import FileWrite as FileWrite
    from toolkit.builtin.http_endpoint import Http as Http
    from toolkit.builtin.human_input import HumanInput as HumanInput
    from toolkit.builtin.json_parser import JsonParser as JsonParser
    from toolkit.builtin.options import Option as Option
    from toolkit.builtin.process import Process as Process
    from toolkit.builtin.web_scrape import WebScrape as WebScrape
    from toolkit.builtin.web_search import (
        Brave as Brave,
        SearchError as SearchError,
        SearchHit as SearchHit,
        SearchProvider as SearchProvider,
        SearXNG as SearXNG,
        SerpApi as SerpApi,
        Tavily as Tavily,
        WebSearch as WebSearch,
    )
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "calculator": "Calculator",
            "catalog": "options_of ready_tools ReadyTool",
            "code_edit": "CodeEdit",
            "code_search": "CodeSearch",
            "date_time": "DateTime",
            "file_glob": "Glob",
            "file_read": "FileRead",
            "file_write": "FileWrite",
            "http_endpoint": "Http",
            "human_input": "HumanInput",
            "json_parser": "JsonParser",
            "options": "Option",
            "process": "Process",
            "web_scrape": "WebScrape",
            "web_search": "Brave SearchError SearchHit SearchProvider SearXNG SerpApi Tavily WebSearch",
        },
    )
