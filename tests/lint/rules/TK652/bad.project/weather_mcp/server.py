def main(mcp):
    mcp.run(transport="stdio")
