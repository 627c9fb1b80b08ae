// The completion scripts. Each asks `toolwharf complete` for what may come next: the first line of the answer says
// whether the shell adds paths of its own, and every other line is one candidate, a tab and what it is.

export const shells = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof shells)[number];

const bash = `# Completion of toolwharf for bash. Add to ~/.bashrc:
#   eval "$(toolwharf completion bash)"
_toolwharf() {
  local IFS=$'\\n' line typed="\${COMP_WORDS[COMP_CWORD]}"
  local -a answer
  # Bash splits --name=value into three words.
  [[ $typed == = ]] && typed=''
  COMPREPLY=()
  answer=($("\${COMP_WORDS[0]}" complete bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)) || return 0
  for line in "\${answer[@]:1}"; do COMPREPLY+=("\${line%%$'\\t'*}"); done
  case "\${answer[0]}" in
    files) compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -f -- "$typed")) ;;
    folders) compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -d -- "$typed")) ;;
  esac
}
complete -F _toolwharf toolwharf
`;

const zsh = `#compdef toolwharf
# Completion of toolwharf for zsh. Add to ~/.zshrc, after compinit:
#   eval "$(toolwharf completion zsh)"
_toolwharf() {
  local line paths
  local -a answer candidates
  answer=("\${(@f)$("\${words[1]}" complete zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  paths="\${answer[1]}"
  for line in "\${(@)answer[2,-1]}"; do
    candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  (( \${#candidates} )) && _describe 'toolwharf' candidates
  [[ $paths == none ]] && return
  compset -P '--*='
  if [[ $paths == folders ]]; then _files -/; else _files; fi
}
if [[ $funcstack[1] == _toolwharf ]]; then _toolwharf "$@"; else compdef _toolwharf toolwharf; fi
`;

const fish = `# Completion of toolwharf for fish. Run once:
#   toolwharf completion fish > ~/.config/fish/completions/toolwharf.fish
function __toolwharf_complete
    set -l tokens (commandline -opc)
    set -l typed (commandline -ct)
    set -l answer ($tokens[1] complete fish -- $tokens[2..-1] "$typed" 2>/dev/null)
    test (count $answer) -gt 1; and printf '%s\\n' $answer[2..-1]
    set -l prefix (string match -r -- '^--[a-z-]+=' "$typed")
    set -l rest (string replace -r -- '^--[a-z-]+=' '' "$typed")
    switch "$answer[1]"
        case files
            printf "$prefix%s\\n" (__fish_complete_path "$rest")
        case folders
            printf "$prefix%s\\n" (__fish_complete_directories "$rest")
    end
end
complete -c toolwharf -f -a '(__toolwharf_complete)'
`;

export const completionScripts: Readonly<Record<Shell, string>> = { bash, zsh, fish };

/** How to turn the completion on. */
export const completionSetup: Readonly<Record<Shell, string>> = {
  bash: 'add to ~/.bashrc: eval "$(toolwharf completion bash)"',
  zsh: 'add to ~/.zshrc, after compinit: eval "$(toolwharf completion zsh)"',
  fish: 'run: toolwharf completion fish > ~/.config/fish/completions/toolwharf.fish',
};
