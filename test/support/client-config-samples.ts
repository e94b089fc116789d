/** Configuration files as people have them: comments, settings of other kinds, several styles of white space. */

export const SAMPLES: Readonly<Record<string, string>> = {
  'claude-desktop': `{
  "globalShortcut": "Ctrl+Space",
  "mcpServers": {
    "filesystem": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "/Users/ada/Desktop", "/Users/ada/Downloads"]
    },
    "fetch": { "command": "uvx", "args": ["mcp-server-fetch"] }
  },
  "preferences": { "menuBarEnabled": false }
}
`,
  'claude-code': `{
  "numStartups": 184,
  "autoUpdates": true,
  "tipsHistory": { "new-user-warmup": 3, "memory-command": 170 },
  "mcpServers": {
    "github": {
      "type": "http",
      "url": "https://api.githubcopilot.com/mcp/",
      "headers": {
        "Authorization": "Bearer \${GITHUB_TOKEN}"
      }
    }
  },
  "projects": {
    "/home/ada/work": { "allowedTools": [], "mcpServers": {}, "hasTrustDialogAccepted": true }
  },
  "largeNumber": 12345678901234567890
}`,
  cursor: `// Shared by the whole team
{
\t"mcpServers": {
\t\t"linear": {
\t\t\t"url": "https://mcp.linear.app/mcp", // needs a login
\t\t\t"auth": { "CLIENT_ID": "abc" },
\t\t},
\t\t/* "old": { "command": "old-server" }, */
\t},
}
`,
  windsurf: `{
    "mcpServers": {
        "deepwiki": {
            "serverUrl": "https://mcp.deepwiki.com/mcp",
            "disabledTools": ["ask_question"]
        }
    }
}
`,
  vscode: `{
\t// Servers of this workspace
\t"inputs": [
\t\t{
\t\t\t"type": "promptString",
\t\t\t"id": "perplexity-key",
\t\t\t"description": "Perplexity API Key",
\t\t\t"password": true
\t\t}
\t],
\t"servers": {
\t\t"perplexity": {
\t\t\t"type": "stdio",
\t\t\t"command": "npx",
\t\t\t"args": ["-y", "server-perplexity-ask"],
\t\t\t"env": { "PERPLEXITY_API_KEY": "\${input:perplexity-key}" }
\t\t} // keep last
\t}
}
`,
  opencode: `{
  "$schema": "https://opencode.ai/config.json",
  "model": "anthropic/claude-sonnet-4-5", // the fast one
  "mcp": {
    // Browser
    "playwright": {
      "type": "local",
      "command": ["npx", "@playwright/mcp@latest"],
      "enabled": false,
    },
  },
  "keybinds": { "leader": "ctrl+x" },
}
`,
  continue: `name: Local Assistant
version: 1.0.0
schema: v1
models:
  - name: Llama 3.1 8B   # local
    provider: ollama
    model: llama3.1:8b
    roles: [chat, edit]
mcpServers:
  # Databases
  - name: sqlite
    type: stdio
    command: npx
    args:
      - "-y"
      - "mcp-sqlite"
      - "/path/to/your/database.db"   # absolute
rules:
  - Give concise responses
prompts:
  - name: check
    prompt: |
      Review this:

        - indentation
        - names
`,
  goose: `GOOSE_PROVIDER: anthropic
GOOSE_MODEL: claude-sonnet-4-5
# Extensions are managed with "goose configure"
extensions:
    developer:
        enabled: true
        type: builtin
        name: developer
        timeout: 300
        bundled: true
    gdrive:
        type: stdio
        cmd: npx
        args: ['-y', '@modelcontextprotocol/server-gdrive']
        envs: {}
        env_keys:
        - GDRIVE_TOKEN
        enabled: true

GOOSE_MODE: smart_approve
`,
  codex: `model = "gpt-5.2-codex"   # default
model_reasoning_effort = "high"
notify = [
  "python3",
  "/home/ada/notify.py", # with a comment
]

[projects."/home/ada/work"]
trust_level = "trusted"

[mcp_servers.context7]
command = "npx"
args = ["-y", "@upstash/context7-mcp"]

[mcp_servers.context7.env]
LOCAL = """
[mcp_servers.not-a-table]
"""

# Remote ones below
[mcp_servers."figma.com"]
url = "https://mcp.figma.com/mcp"
bearer_token_env_var = "FIGMA_OAUTH_TOKEN"

[tui]
notifications = true
started = 2026-01-02T03:04:05Z
`,
  gemini: `{
  "security": { "auth": { "selectedType": "oauth-personal" } },
  "mcpServers": {
    "pythonTools": {
      "command": "python",
      "args": ["-m", "my_mcp_server", "--port", "8080"],
      "cwd": "./mcp-servers/python",
      "env": { "DATABASE_URL": "$DB_CONNECTION_STRING" },
      "timeout": 15000
    }
  },
  "ui": { "theme": "GitHub" }
}
`,
  'copilot-cli': `{
  "mcpServers": {
    "playwright": {
      "type": "local",
      "command": "npx",
      "args": ["@playwright/mcp@latest"],
      "tools": ["*"],
      "env": {}
    }
  }
}
`,
  antigravity: `{"mcpServers": {"stitch": {"serverUrl": "https://stitch.googleapis.com/mcp", "headers": {"X-Goog-Api-Key": "x"}}}}`,
};
