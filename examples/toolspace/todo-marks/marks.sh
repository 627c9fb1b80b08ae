#!/bin/sh
# Finds marks such as TODO and FIXME, and the largest files, in a given folder.
set -eu

usage() {
  echo 'usage: marks.sh find --mark WORD -- FOLDER | marks.sh largest --limit N -- FOLDER' >&2
  exit 2
}

[ $# -eq 5 ] && [ "$4" = '--' ] || usage
action=$1 option=$2 value=$3 folder=$5

if [ ! -d "$folder" ]; then
  echo "folder not found: $folder" >&2
  exit 1
fi
# A folder named "-x" must not be read as an option of the programs below.
case $folder in /*) ;; *) folder=./$folder ;; esac

case $action:$option in
  find:--mark)
    # -I skips binary files. Finding no mark is a valid result, not an error.
    grep -rnIw --exclude-dir=.git --exclude-dir=node_modules -e "$value" "$folder" || [ $? -eq 1 ]
    ;;
  largest:--limit)
    find "$folder" -name .git -prune -o -type f -exec wc -c {} \; | sort -rn | head -n "$value"
    ;;
  *) usage ;;
esac
