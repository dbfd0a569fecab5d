"""FastMCP's provider of skills, with the skills extension or as resources alone."""
import sys
from fastmcp import FastMCP
from fastmcp.server.providers.skills import SkillsDirectoryProvider

mode, root = sys.argv[1:]
options = {
    "extension": {"experimental_skills": True},
    "manifest": {},
    "resources": {"supporting_files": "resources"},
}[mode]
server = FastMCP("skills")
server.add_provider(SkillsDirectoryProvider(roots=root, **options))
server.run(show_banner=False, log_level="ERROR")
