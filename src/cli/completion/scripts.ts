/** What a shell loads: each asks `plumb completion --words` for the word under the cursor. */

export type Shell = 'bash' | 'zsh' | 'fish';

/** A line `:files` leaves the word to the shell; others are a value, and after a tab what it means. */
export const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# plumb completion for bash: source <(plumb completion bash)
_plumb_completion() {
  local line="\${COMP_LINE:0:COMP_POINT}" word value
  local -a words
  read -ra words <<< "$line"
  [[ "$line" == *[[:space:]] ]] && words+=("")
  word="\${words[\${#words[@]}-1]}"
  COMPREPLY=()
  # Bash replaces only what stands after the last = or : of the word.
  local kept="\${word%"\${word##*[=:]}"}"
  while IFS=$'\\t' read -r value _; do
    if [[ "$value" == ":files" ]]; then
      compopt -o default 2>/dev/null
      COMPREPLY=()
      return
    fi
    [[ "$value" == *= ]] && compopt -o nospace 2>/dev/null
    COMPREPLY+=("\${value#"$kept"}")
  done < <(plumb completion --words -- "\${words[@]:1}" 2>/dev/null)
}
complete -F _plumb_completion plumb
`,
  zsh: `#compdef plumb
# plumb completion for zsh: source <(plumb completion zsh)
_plumb() {
  local -a values
  local line value description
  while IFS= read -r line; do
    if [[ "$line" == ":files" ]]; then
      _files
      return
    fi
    value="\${line%%$'\\t'*}"
    description=""
    [[ "$line" == *$'\\t'* ]] && description="\${line#*$'\\t'}"
    if [[ "$value" == *= ]]; then
      compadd -S '' -- "$value"
    else
      values+=("\${value//:/\\\\:}:$description")
    fi
  done < <(plumb completion --words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( \${#values} )) && _describe 'plumb' values
}
compdef _plumb plumb
`,
  fish: `# plumb completion for fish: plumb completion fish | source
function __plumb_completion
  set -l words (commandline -opc) (commandline -ct)
  for line in (plumb completion --words -- $words[2..-1] 2>/dev/null)
    if test "$line" = ":files"
      __fish_complete_path (commandline -ct)
    else
      echo $line
    end
  end
end
complete -c plumb -f -a '(__plumb_completion)'
`,
};
