"""FastMCP with its provider of skills."""
import sys
from fastmcp import FastMCP
from fastmcp.server.providers.skills import SkillsDirectoryProvider

server = FastMCP("skills")
server.add_provider(SkillsDirectoryProvider(roots=sys.argv[1]))
server.run(show_banner=False)
