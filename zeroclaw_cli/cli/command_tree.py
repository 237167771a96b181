"""The commands, their options and what each value is.

Made by ``zeroclaw_cli.cli.generate``; do not edit.
"""

from __future__ import annotations

from typing import Final, TypedDict


class Option(TypedDict):
    help: str
    value: str | None


class Node(TypedDict):
    help: str
    options: dict[str, Option]
    arguments: list[str]
    commands: dict[str, Node]


# fmt: off
TREE: Final[Node] = {'help': 'Manage plugins of AI agents and run their memory.',
 'options': {'-h': {'help': 'Show this message and exit.', 'value': None},
             '--help': {'help': 'Show this message and exit.', 'value': None},
             '--config-dir': {'help': 'Where config.toml and plugins/ are.', 'value': 'dir'},
             '--quiet': {'help': 'No warnings and no progress.', 'value': None},
             '-q': {'help': 'No warnings and no progress.', 'value': None},
             '--verbose': {'help': 'Say more on stderr.', 'value': None},
             '-v': {'help': 'Say more on stderr.', 'value': None},
             '--no-color': {'help': 'No colours.', 'value': None},
             '--no-cache': {'help': 'Compile components anew.', 'value': None},
             '--version': {'help': 'Print the version.', 'value': None}},
 'arguments': [],
 'commands': {'completion': {'help': 'Install or print the completion script of a shell.',
                             'options': {'-h': {'help': 'Show this message and exit.', 'value': None},
                                         '--help': {'help': 'Show this message and exit.', 'value': None}},
                             'arguments': [],
                             'commands': {'install': {'help': 'Install the completion script where the shell looks '
                                                              'for it.',
                                                      'options': {'-h': {'help': 'Show this message and exit.',
                                                                         'value': None},
                                                                  '--help': {'help': 'Show this message and exit.',
                                                                             'value': None},
                                                                  '--json': {'help': 'Print JSON.', 'value': None}},
                                                      'arguments': ['words:bash,zsh,fish,powershell'],
                                                      'commands': {}},
                                          'show': {'help': 'Print the completion script of SHELL.',
                                                   'options': {'-h': {'help': 'Show this message and exit.',
                                                                      'value': None},
                                                               '--help': {'help': 'Show this message and exit.',
                                                                          'value': None}},
                                                   'arguments': ['words:bash,zsh,fish,powershell'],
                                                   'commands': {}}}},
              'config': {'help': 'Read and change config.toml.',
                         'options': {'-h': {'help': 'Show this message and exit.', 'value': None},
                                     '--help': {'help': 'Show this message and exit.', 'value': None}},
                         'arguments': [],
                         'commands': {'edit': {'help': 'Edit config.toml in $VISUAL or $EDITOR.',
                                               'options': {'-h': {'help': 'Show this message and exit.',
                                                                  'value': None},
                                                           '--help': {'help': 'Show this message and exit.',
                                                                      'value': None}},
                                               'arguments': [],
                                               'commands': {}},
                                      'get': {'help': 'Print one value; of a secret only whether it is set.',
                                              'options': {'-h': {'help': 'Show this message and exit.',
                                                                 'value': None},
                                                          '--help': {'help': 'Show this message and exit.',
                                                                     'value': None},
                                                          '--json': {'help': 'Print JSON.', 'value': None}},
                                              'arguments': ['config_path'],
                                              'commands': {}},
                                      'init': {'help': 'Add a commented template of what can be set.',
                                               'options': {'-h': {'help': 'Show this message and exit.',
                                                                  'value': None},
                                                           '--help': {'help': 'Show this message and exit.',
                                                                      'value': None},
                                                           '--json': {'help': 'Print JSON.', 'value': None}},
                                               'arguments': ['config_path'],
                                               'commands': {}},
                                      'list': {'help': 'List every path with its value, type and origin.',
                                               'options': {'-h': {'help': 'Show this message and exit.',
                                                                  'value': None},
                                                           '--help': {'help': 'Show this message and exit.',
                                                                      'value': None},
                                                           '--filter': {'help': 'Only paths that begin with '
                                                                                'PREFIX.',
                                                                        'value': 'config_path'},
                                                           '-f': {'help': 'Only paths that begin with PREFIX.',
                                                                  'value': 'config_path'},
                                                           '--secrets': {'help': 'Only secrets, masked.',
                                                                         'value': None},
                                                           '--json': {'help': 'Print JSON.', 'value': None}},
                                               'arguments': [],
                                               'commands': {}},
                                      'migrate': {'help': 'Bring an older config.toml to the present schema.',
                                                  'options': {'-h': {'help': 'Show this message and exit.',
                                                                     'value': None},
                                                              '--help': {'help': 'Show this message and exit.',
                                                                         'value': None},
                                                              '--json': {'help': 'Print JSON.', 'value': None}},
                                                  'arguments': [],
                                                  'commands': {}},
                                      'patch': {'help': 'Apply a JSON Patch, all of it or nothing.',
                                                'options': {'-h': {'help': 'Show this message and exit.',
                                                                   'value': None},
                                                            '--help': {'help': 'Show this message and exit.',
                                                                       'value': None},
                                                            '--json': {'help': 'Print JSON.', 'value': None}},
                                                'arguments': ['file'],
                                                'commands': {}},
                                      'path': {'help': 'Print where config.toml is, though it may not exist yet.',
                                               'options': {'-h': {'help': 'Show this message and exit.',
                                                                  'value': None},
                                                           '--help': {'help': 'Show this message and exit.',
                                                                      'value': None},
                                                           '--json': {'help': 'Print JSON.', 'value': None}},
                                               'arguments': [],
                                               'commands': {}},
                                      'schema': {'help': 'Print the JSON Schema (Draft 2020-12) of our sections.',
                                                 'options': {'-h': {'help': 'Show this message and exit.',
                                                                    'value': None},
                                                             '--help': {'help': 'Show this message and exit.',
                                                                        'value': None},
                                                             '--path': {'help': 'Only the schema of this path.',
                                                                        'value': 'text'},
                                                             '--json': {'help': 'Print JSON.', 'value': None}},
                                                 'arguments': [],
                                                 'commands': {}},
                                      'set': {'help': 'Set one value.',
                                              'options': {'-h': {'help': 'Show this message and exit.',
                                                                 'value': None},
                                                          '--help': {'help': 'Show this message and exit.',
                                                                     'value': None},
                                                          '--no-interactive': {'help': 'Take a secret from VALUE '
                                                                                       'instead of asking for it.',
                                                                               'value': None},
                                                          '--comment': {'help': 'Replace the comment above the '
                                                                                'key; empty removes it.',
                                                                        'value': 'text'},
                                                          '--json': {'help': 'Print JSON.', 'value': None}},
                                              'arguments': ['config_path', 'text'],
                                              'commands': {}},
                                      'unset': {'help': 'Remove one value or one named table; absent already is '
                                                        'fine.',
                                                'options': {'-h': {'help': 'Show this message and exit.',
                                                                   'value': None},
                                                            '--help': {'help': 'Show this message and exit.',
                                                                       'value': None},
                                                            '--json': {'help': 'Print JSON.', 'value': None}},
                                                'arguments': ['config_path'],
                                                'commands': {}}}},
              'demo': {'help': 'Show the main job end to end with the example plugin.',
                       'options': {'-h': {'help': 'Show this message and exit.', 'value': None},
                                   '--help': {'help': 'Show this message and exit.', 'value': None},
                                   '--keep': {'help': 'Keep the temporary config folder.', 'value': None},
                                   '--package': {'help': 'Make the example package here, and keep it.',
                                                 'value': 'dir'},
                                   '--json': {'help': 'Print JSON.', 'value': None}},
                       'arguments': [],
                       'commands': {}},
              'doctor': {'help': 'Check everything on this machine and name the remedies.',
                         'options': {'-h': {'help': 'Show this message and exit.', 'value': None},
                                     '--help': {'help': 'Show this message and exit.', 'value': None},
                                     '--fix': {'help': 'Mend what can be mended without losing anything.',
                                               'value': None},
                                     '--json': {'help': 'Print JSON.', 'value': None}},
                         'arguments': [],
                         'commands': {}},
              'memory': {'help': 'Store and recall memories through the chosen backend.',
                         'options': {'-h': {'help': 'Show this message and exit.', 'value': None},
                                     '--help': {'help': 'Show this message and exit.', 'value': None}},
                         'arguments': [],
                         'commands': {'backup': {'help': 'Save the built-in store and all plugin memory to one '
                                                         'file.',
                                                 'options': {'-h': {'help': 'Show this message and exit.',
                                                                    'value': None},
                                                             '--help': {'help': 'Show this message and exit.',
                                                                        'value': None},
                                                             '--out': {'help': 'Where; backups/ in the data folder '
                                                                               'when left out.',
                                                                       'value': 'file'},
                                                             '--json': {'help': 'Print JSON.', 'value': None}},
                                                 'arguments': [],
                                                 'commands': {}},
                                      'check': {'help': 'Check a provider for its author.',
                                                'options': {'-h': {'help': 'Show this message and exit.',
                                                                   'value': None},
                                                            '--help': {'help': 'Show this message and exit.',
                                                                       'value': None},
                                                            '--trust': {'help': 'Run its code too: the digest that '
                                                                                'you looked at, or now.',
                                                                        'value': 'text'},
                                                            '--write-trial': {'help': 'Try a session too; what it '
                                                                                      'writes to its own service '
                                                                                      'stays there.',
                                                                              'value': None},
                                                            '--json': {'help': 'Print JSON.', 'value': None}},
                                                'arguments': ['dir'],
                                                'commands': {}},
                                      'clear': {'help': 'Forget the entries of one key, of one category, or all.',
                                                'options': {'-h': {'help': 'Show this message and exit.',
                                                                   'value': None},
                                                            '--help': {'help': 'Show this message and exit.',
                                                                       'value': None},
                                                            '--key': {'help': 'Only the entries of this key, '
                                                                              'written in full.',
                                                                      'value': 'text'},
                                                            '--category': {'help': 'core, daily, conversation, or '
                                                                                   'a word of your own.',
                                                                           'value': 'text'},
                                                            '--yes': {'help': 'Answer yes to the question.',
                                                                      'value': None},
                                                            '-y': {'help': 'Answer yes to the question.',
                                                                   'value': None},
                                                            '--backend': {'help': 'The backend; memory.backend by '
                                                                                  'default.',
                                                                          'value': 'backend'},
                                                            '--layer': {'help': 'Ask this layer alone '
                                                                                '(memory.backend layers).',
                                                                        'value': 'text'},
                                                            '--receipt': {'help': 'Show what was done where '
                                                                                  '(memory.backend layers).',
                                                                          'value': None},
                                                            '--json': {'help': 'Print JSON.', 'value': None}},
                                                'arguments': [],
                                                'commands': {}},
                                      'compact': {'help': "Rewrite a plugin's journal without what is gone.",
                                                  'options': {'-h': {'help': 'Show this message and exit.',
                                                                     'value': None},
                                                              '--help': {'help': 'Show this message and exit.',
                                                                         'value': None},
                                                              '--allow-loss': {'help': 'Even if timestamps change, '
                                                                                       'or what the plugin hides '
                                                                                       'or its version does not '
                                                                                       'carry out is lost.',
                                                                               'value': None},
                                                              '--backend': {'help': 'The backend; memory.backend '
                                                                                    'by default.',
                                                                            'value': 'backend'},
                                                              '--json': {'help': 'Print JSON.', 'value': None}},
                                                  'arguments': [],
                                                  'commands': {}},
                                      'context': {'help': 'Print the block of remembered text that a prompt would '
                                                          'get.',
                                                  'options': {'-h': {'help': 'Show this message and exit.',
                                                                     'value': None},
                                                              '--help': {'help': 'Show this message and exit.',
                                                                         'value': None},
                                                              '--thread': {'help': 'The running conversation: what '
                                                                                   'was said in it too.',
                                                                           'value': 'text'},
                                                              '--limit': {'help': 'At most so many snippets.',
                                                                          'value': 'text'},
                                                              '--agent': {'help': 'The agent whose documents they '
                                                                                  'are.',
                                                                          'value': 'text'},
                                                              '--project': {'help': 'The project; '
                                                                                    'memory.native.project by '
                                                                                    'default.',
                                                                            'value': 'text'},
                                                              '--backend': {'help': 'The backend; memory.backend '
                                                                                    'by default.',
                                                                            'value': 'backend'},
                                                              '--layer': {'help': 'Ask this layer alone '
                                                                                  '(memory.backend layers).',
                                                                          'value': 'text'},
                                                              '--receipt': {'help': 'Show what was done where '
                                                                                    '(memory.backend layers).',
                                                                            'value': None},
                                                              '--json': {'help': 'Print JSON.', 'value': None}},
                                                  'arguments': ['text'],
                                                  'commands': {}},
                                      'copy': {'help': 'Copy every entry of one backend into another.',
                                               'options': {'-h': {'help': 'Show this message and exit.',
                                                                  'value': None},
                                                           '--help': {'help': 'Show this message and exit.',
                                                                      'value': None},
                                                           '--from': {'help': 'The backend to read.',
                                                                      'value': 'backend'},
                                                           '--to': {'help': 'The backend to store in.',
                                                                    'value': 'backend'},
                                                           '--on-conflict': {'help': 'What to do with a row that '
                                                                                     'is there already.',
                                                                             'value': 'words:replace,keep,error'},
                                                           '--layer': {'help': 'Ask this layer alone '
                                                                               '(memory.backend layers).',
                                                                       'value': 'text'},
                                                           '--receipt': {'help': 'Show what was done where '
                                                                                 '(memory.backend layers).',
                                                                         'value': None},
                                                           '--json': {'help': 'Print JSON.', 'value': None}},
                                               'arguments': [],
                                               'commands': {}},
                                      'count': {'help': 'How many entries there are.',
                                                'options': {'-h': {'help': 'Show this message and exit.',
                                                                   'value': None},
                                                            '--help': {'help': 'Show this message and exit.',
                                                                       'value': None},
                                                            '--backend': {'help': 'The backend; memory.backend by '
                                                                                  'default.',
                                                                          'value': 'backend'},
                                                            '--layer': {'help': 'Ask this layer alone '
                                                                                '(memory.backend layers).',
                                                                        'value': 'text'},
                                                            '--receipt': {'help': 'Show what was done where '
                                                                                  '(memory.backend layers).',
                                                                          'value': None},
                                                            '--json': {'help': 'Print JSON.', 'value': None}},
                                                'arguments': [],
                                                'commands': {}},
                                      'curate': {'help': 'Show what a pass that tidies MEMORY.md would be given.',
                                                 'options': {'-h': {'help': 'Show this message and exit.',
                                                                    'value': None},
                                                             '--help': {'help': 'Show this message and exit.',
                                                                        'value': None},
                                                             '--plan': {'help': 'Show what a curation pass would '
                                                                                'be given.',
                                                                        'value': None},
                                                             '--agent': {'help': 'The agent whose documents they '
                                                                                 'are.',
                                                                         'value': 'text'},
                                                             '--project': {'help': 'The project; '
                                                                                   'memory.native.project by '
                                                                                   'default.',
                                                                           'value': 'text'},
                                                             '--backend': {'help': 'The backend; memory.backend by '
                                                                                   'default.',
                                                                           'value': 'backend'},
                                                             '--layer': {'help': 'Ask this layer alone '
                                                                                 '(memory.backend layers).',
                                                                         'value': 'text'},
                                                             '--receipt': {'help': 'Show what was done where '
                                                                                   '(memory.backend layers).',
                                                                           'value': None},
                                                             '--json': {'help': 'Print JSON.', 'value': None}},
                                                 'arguments': [],
                                                 'commands': {}},
                                      'doc': {'help': 'Read and write the documents of the built-in store.',
                                              'options': {'-h': {'help': 'Show this message and exit.',
                                                                 'value': None},
                                                          '--help': {'help': 'Show this message and exit.',
                                                                     'value': None}},
                                              'arguments': [],
                                              'commands': {'archive': {'help': 'Move a document below archive/, '
                                                                               'where it stays readable.',
                                                                       'options': {'-h': {'help': 'Show this '
                                                                                                  'message and '
                                                                                                  'exit.',
                                                                                          'value': None},
                                                                                   '--help': {'help': 'Show this '
                                                                                                      'message and '
                                                                                                      'exit.',
                                                                                              'value': None},
                                                                                   '--agent': {'help': 'The agent '
                                                                                                       'whose '
                                                                                                       'documents '
                                                                                                       'they are.',
                                                                                               'value': 'text'},
                                                                                   '--project': {'help': 'The '
                                                                                                         'project; '
                                                                                                         'memory.native.project '
                                                                                                         'by '
                                                                                                         'default.',
                                                                                                 'value': 'text'},
                                                                                   '--backend': {'help': 'The '
                                                                                                         'backend; '
                                                                                                         'memory.backend '
                                                                                                         'by '
                                                                                                         'default.',
                                                                                                 'value': 'backend'},
                                                                                   '--layer': {'help': 'Ask this '
                                                                                                       'layer '
                                                                                                       'alone '
                                                                                                       '(memory.backend '
                                                                                                       'layers).',
                                                                                               'value': 'text'},
                                                                                   '--receipt': {'help': 'Show '
                                                                                                         'what was '
                                                                                                         'done '
                                                                                                         'where '
                                                                                                         '(memory.backend '
                                                                                                         'layers).',
                                                                                                 'value': None},
                                                                                   '--json': {'help': 'Print JSON.',
                                                                                              'value': None}},
                                                                       'arguments': ['text'],
                                                                       'commands': {}},
                                                           'edit': {'help': 'Edit a document in $VISUAL or '
                                                                            '$EDITOR.',
                                                                    'options': {'-h': {'help': 'Show this message '
                                                                                               'and exit.',
                                                                                       'value': None},
                                                                                '--help': {'help': 'Show this '
                                                                                                   'message and '
                                                                                                   'exit.',
                                                                                           'value': None},
                                                                                '--agent': {'help': 'The agent '
                                                                                                    'whose '
                                                                                                    'documents '
                                                                                                    'they are.',
                                                                                            'value': 'text'},
                                                                                '--project': {'help': 'The '
                                                                                                      'project; '
                                                                                                      'memory.native.project '
                                                                                                      'by default.',
                                                                                              'value': 'text'},
                                                                                '--backend': {'help': 'The '
                                                                                                      'backend; '
                                                                                                      'memory.backend '
                                                                                                      'by default.',
                                                                                              'value': 'backend'},
                                                                                '--layer': {'help': 'Ask this '
                                                                                                    'layer alone '
                                                                                                    '(memory.backend '
                                                                                                    'layers).',
                                                                                            'value': 'text'},
                                                                                '--receipt': {'help': 'Show what '
                                                                                                      'was done '
                                                                                                      'where '
                                                                                                      '(memory.backend '
                                                                                                      'layers).',
                                                                                              'value': None},
                                                                                '--json': {'help': 'Print JSON.',
                                                                                           'value': None}},
                                                                    'arguments': ['text'],
                                                                    'commands': {}},
                                                           'forget': {'help': 'Forget a document.',
                                                                      'options': {'-h': {'help': 'Show this '
                                                                                                 'message and '
                                                                                                 'exit.',
                                                                                         'value': None},
                                                                                  '--help': {'help': 'Show this '
                                                                                                     'message and '
                                                                                                     'exit.',
                                                                                             'value': None},
                                                                                  '--with-history': {'help': 'What '
                                                                                                             'is '
                                                                                                             'derived '
                                                                                                             'from '
                                                                                                             'it '
                                                                                                             'too: '
                                                                                                             'versions, '
                                                                                                             'edited '
                                                                                                             'copies, '
                                                                                                             'transcripts '
                                                                                                             '(built-in '
                                                                                                             'store).',
                                                                                                     'value': None},
                                                                                  '--agent': {'help': 'The agent '
                                                                                                      'whose '
                                                                                                      'documents '
                                                                                                      'they are.',
                                                                                              'value': 'text'},
                                                                                  '--project': {'help': 'The '
                                                                                                        'project; '
                                                                                                        'memory.native.project '
                                                                                                        'by '
                                                                                                        'default.',
                                                                                                'value': 'text'},
                                                                                  '--backend': {'help': 'The '
                                                                                                        'backend; '
                                                                                                        'memory.backend '
                                                                                                        'by '
                                                                                                        'default.',
                                                                                                'value': 'backend'},
                                                                                  '--layer': {'help': 'Ask this '
                                                                                                      'layer alone '
                                                                                                      '(memory.backend '
                                                                                                      'layers).',
                                                                                              'value': 'text'},
                                                                                  '--receipt': {'help': 'Show what '
                                                                                                        'was done '
                                                                                                        'where '
                                                                                                        '(memory.backend '
                                                                                                        'layers).',
                                                                                                'value': None},
                                                                                  '--json': {'help': 'Print JSON.',
                                                                                             'value': None}},
                                                                      'arguments': ['text'],
                                                                      'commands': {}},
                                                           'read': {'help': 'Print a document exactly as it is '
                                                                            'kept.',
                                                                    'options': {'-h': {'help': 'Show this message '
                                                                                               'and exit.',
                                                                                       'value': None},
                                                                                '--help': {'help': 'Show this '
                                                                                                   'message and '
                                                                                                   'exit.',
                                                                                           'value': None},
                                                                                '--version': {'help': 'An older '
                                                                                                      'version '
                                                                                                      'instead, by '
                                                                                                      'its number.',
                                                                                              'value': 'text'},
                                                                                '--agent': {'help': 'The agent '
                                                                                                    'whose '
                                                                                                    'documents '
                                                                                                    'they are.',
                                                                                            'value': 'text'},
                                                                                '--project': {'help': 'The '
                                                                                                      'project; '
                                                                                                      'memory.native.project '
                                                                                                      'by default.',
                                                                                              'value': 'text'},
                                                                                '--backend': {'help': 'The '
                                                                                                      'backend; '
                                                                                                      'memory.backend '
                                                                                                      'by default.',
                                                                                              'value': 'backend'},
                                                                                '--layer': {'help': 'Ask this '
                                                                                                    'layer alone '
                                                                                                    '(memory.backend '
                                                                                                    'layers).',
                                                                                            'value': 'text'},
                                                                                '--receipt': {'help': 'Show what '
                                                                                                      'was done '
                                                                                                      'where '
                                                                                                      '(memory.backend '
                                                                                                      'layers).',
                                                                                              'value': None},
                                                                                '--json': {'help': 'Print JSON.',
                                                                                           'value': None}},
                                                                    'arguments': ['text'],
                                                                    'commands': {}},
                                                           'search': {'help': 'Find the documents that answer '
                                                                              'QUERY, best first.',
                                                                      'options': {'-h': {'help': 'Show this '
                                                                                                 'message and '
                                                                                                 'exit.',
                                                                                         'value': None},
                                                                                  '--help': {'help': 'Show this '
                                                                                                     'message and '
                                                                                                     'exit.',
                                                                                             'value': None},
                                                                                  '--limit': {'help': 'At most so '
                                                                                                      'many.',
                                                                                              'value': 'text'},
                                                                                  '--thread': {'help': 'The '
                                                                                                       'running '
                                                                                                       'conversation: '
                                                                                                       'what was '
                                                                                                       'said in it '
                                                                                                       'too.',
                                                                                               'value': 'text'},
                                                                                  '--agent': {'help': 'The agent '
                                                                                                      'whose '
                                                                                                      'documents '
                                                                                                      'they are.',
                                                                                              'value': 'text'},
                                                                                  '--project': {'help': 'The '
                                                                                                        'project; '
                                                                                                        'memory.native.project '
                                                                                                        'by '
                                                                                                        'default.',
                                                                                                'value': 'text'},
                                                                                  '--backend': {'help': 'The '
                                                                                                        'backend; '
                                                                                                        'memory.backend '
                                                                                                        'by '
                                                                                                        'default.',
                                                                                                'value': 'backend'},
                                                                                  '--layer': {'help': 'Ask this '
                                                                                                      'layer alone '
                                                                                                      '(memory.backend '
                                                                                                      'layers).',
                                                                                              'value': 'text'},
                                                                                  '--receipt': {'help': 'Show what '
                                                                                                        'was done '
                                                                                                        'where '
                                                                                                        '(memory.backend '
                                                                                                        'layers).',
                                                                                                'value': None},
                                                                                  '--json': {'help': 'Print JSON.',
                                                                                             'value': None}},
                                                                      'arguments': ['text'],
                                                                      'commands': {}},
                                                           'tree': {'help': 'List the documents below PATH.',
                                                                    'options': {'-h': {'help': 'Show this message '
                                                                                               'and exit.',
                                                                                       'value': None},
                                                                                '--help': {'help': 'Show this '
                                                                                                   'message and '
                                                                                                   'exit.',
                                                                                           'value': None},
                                                                                '--depth': {'help': 'How many '
                                                                                                    'levels.',
                                                                                            'value': 'text'},
                                                                                '--agent': {'help': 'The agent '
                                                                                                    'whose '
                                                                                                    'documents '
                                                                                                    'they are.',
                                                                                            'value': 'text'},
                                                                                '--project': {'help': 'The '
                                                                                                      'project; '
                                                                                                      'memory.native.project '
                                                                                                      'by default.',
                                                                                              'value': 'text'},
                                                                                '--backend': {'help': 'The '
                                                                                                      'backend; '
                                                                                                      'memory.backend '
                                                                                                      'by default.',
                                                                                              'value': 'backend'},
                                                                                '--layer': {'help': 'Ask this '
                                                                                                    'layer alone '
                                                                                                    '(memory.backend '
                                                                                                    'layers).',
                                                                                            'value': 'text'},
                                                                                '--receipt': {'help': 'Show what '
                                                                                                      'was done '
                                                                                                      'where '
                                                                                                      '(memory.backend '
                                                                                                      'layers).',
                                                                                              'value': None},
                                                                                '--json': {'help': 'Print JSON.',
                                                                                           'value': None}},
                                                                    'arguments': ['text'],
                                                                    'commands': {}},
                                                           'versions': {'help': 'List the older versions of a '
                                                                                'document, newest first.',
                                                                        'options': {'-h': {'help': 'Show this '
                                                                                                   'message and '
                                                                                                   'exit.',
                                                                                           'value': None},
                                                                                    '--help': {'help': 'Show this '
                                                                                                       'message '
                                                                                                       'and exit.',
                                                                                               'value': None},
                                                                                    '--agent': {'help': 'The agent '
                                                                                                        'whose '
                                                                                                        'documents '
                                                                                                        'they are.',
                                                                                                'value': 'text'},
                                                                                    '--project': {'help': 'The '
                                                                                                          'project; '
                                                                                                          'memory.native.project '
                                                                                                          'by '
                                                                                                          'default.',
                                                                                                  'value': 'text'},
                                                                                    '--backend': {'help': 'The '
                                                                                                          'backend; '
                                                                                                          'memory.backend '
                                                                                                          'by '
                                                                                                          'default.',
                                                                                                  'value': 'backend'},
                                                                                    '--layer': {'help': 'Ask this '
                                                                                                        'layer '
                                                                                                        'alone '
                                                                                                        '(memory.backend '
                                                                                                        'layers).',
                                                                                                'value': 'text'},
                                                                                    '--receipt': {'help': 'Show '
                                                                                                          'what '
                                                                                                          'was '
                                                                                                          'done '
                                                                                                          'where '
                                                                                                          '(memory.backend '
                                                                                                          'layers).',
                                                                                                  'value': None},
                                                                                    '--json': {'help': 'Print '
                                                                                                       'JSON.',
                                                                                               'value': None}},
                                                                        'arguments': ['text'],
                                                                        'commands': {}},
                                                           'write': {'help': 'Append to a document, replace it, or '
                                                                             'change a part of it.',
                                                                     'options': {'-h': {'help': 'Show this message '
                                                                                                'and exit.',
                                                                                        'value': None},
                                                                                 '--help': {'help': 'Show this '
                                                                                                    'message and '
                                                                                                    'exit.',
                                                                                            'value': None},
                                                                                 '--target': {'help': 'A path, or '
                                                                                                      'memory, '
                                                                                                      'daily_log, '
                                                                                                      'heartbeat '
                                                                                                      'or '
                                                                                                      'bootstrap '
                                                                                                      '(cleared).',
                                                                                              'value': 'text'},
                                                                                 '--content': {'help': 'The text; '
                                                                                                       '- for '
                                                                                                       'stdin.',
                                                                                               'value': 'text'},
                                                                                 '--replace': {'help': 'Make the '
                                                                                                       'text the '
                                                                                                       'whole '
                                                                                                       'document.',
                                                                                               'value': None},
                                                                                 '--old': {'help': 'Replace this '
                                                                                                   'text, exactly '
                                                                                                   'as it stands …',
                                                                                           'value': 'text'},
                                                                                 '--new': {'help': '… by this one.',
                                                                                           'value': 'text'},
                                                                                 '--all': {'help': 'Replace every '
                                                                                                   'occurrence, '
                                                                                                   'not only the '
                                                                                                   'first.',
                                                                                           'value': None},
                                                                                 '--expect': {'help': 'With '
                                                                                                      '--replace: '
                                                                                                      'only if it '
                                                                                                      'still has '
                                                                                                      'this hash.',
                                                                                              'value': 'text'},
                                                                                 '--metadata': {'help': 'An object '
                                                                                                        'merged '
                                                                                                        'over its '
                                                                                                        'metadata.',
                                                                                                'value': 'text'},
                                                                                 '--timezone': {'help': 'Whose day '
                                                                                                        'daily_log '
                                                                                                        'means; '
                                                                                                        'UTC by '
                                                                                                        'default.',
                                                                                                'value': 'text'},
                                                                                 '--agent': {'help': 'The agent '
                                                                                                     'whose '
                                                                                                     'documents '
                                                                                                     'they are.',
                                                                                             'value': 'text'},
                                                                                 '--project': {'help': 'The '
                                                                                                       'project; '
                                                                                                       'memory.native.project '
                                                                                                       'by '
                                                                                                       'default.',
                                                                                               'value': 'text'},
                                                                                 '--backend': {'help': 'The '
                                                                                                       'backend; '
                                                                                                       'memory.backend '
                                                                                                       'by '
                                                                                                       'default.',
                                                                                               'value': 'backend'},
                                                                                 '--layer': {'help': 'Ask this '
                                                                                                     'layer alone '
                                                                                                     '(memory.backend '
                                                                                                     'layers).',
                                                                                             'value': 'text'},
                                                                                 '--receipt': {'help': 'Show what '
                                                                                                       'was done '
                                                                                                       'where '
                                                                                                       '(memory.backend '
                                                                                                       'layers).',
                                                                                               'value': None},
                                                                                 '--json': {'help': 'Print JSON.',
                                                                                            'value': None}},
                                                                     'arguments': ['text'],
                                                                     'commands': {}}}},
                                      'export': {'help': 'Write every entry as JSON Lines, oldest first.',
                                                 'options': {'-h': {'help': 'Show this message and exit.',
                                                                    'value': None},
                                                             '--help': {'help': 'Show this message and exit.',
                                                                        'value': None},
                                                             '--namespace': {'help': 'One namespace.',
                                                                             'value': 'text'},
                                                             '--session': {'help': 'One session.', 'value': 'text'},
                                                             '--category': {'help': 'core, daily, conversation, or '
                                                                                    'a word of your own.',
                                                                            'value': 'text'},
                                                             '--since': {'help': 'Not before: RFC 3339, a date, or '
                                                                                 'an age such as 7d.',
                                                                         'value': 'text'},
                                                             '--until': {'help': 'Not after: RFC 3339, a date, or '
                                                                                 'an age such as 12h.',
                                                                         'value': 'text'},
                                                             '--all': {'help': 'Documents with their versions too, '
                                                                               'and every project (built-in '
                                                                               'store).',
                                                                       'value': None},
                                                             '--out': {'help': 'Write there instead of stdout (-).',
                                                                       'value': 'file'},
                                                             '--backend': {'help': 'The backend; memory.backend by '
                                                                                   'default.',
                                                                           'value': 'backend'},
                                                             '--layer': {'help': 'Ask this layer alone '
                                                                                 '(memory.backend layers).',
                                                                         'value': 'text'},
                                                             '--receipt': {'help': 'Show what was done where '
                                                                                   '(memory.backend layers).',
                                                                           'value': None},
                                                             '--json': {'help': 'Print JSON.', 'value': None}},
                                                 'arguments': [],
                                                 'commands': {}},
                                      'forget': {'help': 'Forget the entry of KEY.',
                                                 'options': {'-h': {'help': 'Show this message and exit.',
                                                                    'value': None},
                                                             '--help': {'help': 'Show this message and exit.',
                                                                        'value': None},
                                                             '--agent': {'help': 'An agent, by its alias.',
                                                                         'value': 'text'},
                                                             '--agent-id': {'help': 'An agent, by its id.',
                                                                            'value': 'text'},
                                                             '--with-history': {'help': 'What is derived from it '
                                                                                        'too: versions, edited '
                                                                                        'copies, transcripts '
                                                                                        '(built-in store).',
                                                                                'value': None},
                                                             '--backend': {'help': 'The backend; memory.backend by '
                                                                                   'default.',
                                                                           'value': 'backend'},
                                                             '--layer': {'help': 'Ask this layer alone '
                                                                                 '(memory.backend layers).',
                                                                         'value': 'text'},
                                                             '--receipt': {'help': 'Show what was done where '
                                                                                   '(memory.backend layers).',
                                                                           'value': None},
                                                             '--json': {'help': 'Print JSON.', 'value': None}},
                                                 'arguments': ['text'],
                                                 'commands': {}},
                                      'get': {'help': 'Show one entry.',
                                              'options': {'-h': {'help': 'Show this message and exit.',
                                                                 'value': None},
                                                          '--help': {'help': 'Show this message and exit.',
                                                                     'value': None},
                                                          '--agent': {'help': 'An agent, by its alias.',
                                                                      'value': 'text'},
                                                          '--agent-id': {'help': 'An agent, by its id.',
                                                                         'value': 'text'},
                                                          '--backend': {'help': 'The backend; memory.backend by '
                                                                                'default.',
                                                                        'value': 'backend'},
                                                          '--layer': {'help': 'Ask this layer alone '
                                                                              '(memory.backend layers).',
                                                                      'value': 'text'},
                                                          '--receipt': {'help': 'Show what was done where '
                                                                                '(memory.backend layers).',
                                                                        'value': None},
                                                          '--json': {'help': 'Print JSON.', 'value': None}},
                                              'arguments': ['text'],
                                              'commands': {}},
                                      'health': {'help': 'Ask the backend whether it is healthy.',
                                                 'options': {'-h': {'help': 'Show this message and exit.',
                                                                    'value': None},
                                                             '--help': {'help': 'Show this message and exit.',
                                                                        'value': None},
                                                             '--backend': {'help': 'The backend; memory.backend by '
                                                                                   'default.',
                                                                           'value': 'backend'},
                                                             '--layer': {'help': 'Ask this layer alone '
                                                                                 '(memory.backend layers).',
                                                                         'value': 'text'},
                                                             '--receipt': {'help': 'Show what was done where '
                                                                                   '(memory.backend layers).',
                                                                           'value': None},
                                                             '--json': {'help': 'Print JSON.', 'value': None}},
                                                 'arguments': [],
                                                 'commands': {}},
                                      'import': {'help': 'Import entries from a file or from another program.',
                                                 'options': {'-h': {'help': 'Show this message and exit.',
                                                                    'value': None},
                                                             '--help': {'help': 'Show this message and exit.',
                                                                        'value': None},
                                                             '--from-zeroclaw': {'help': "The other program's "
                                                                                         'workspace: brain.db, '
                                                                                         'MEMORY.md, …',
                                                                                 'value': 'dir'},
                                                             '--from-hermes': {'help': 'A home of hermes-agent: '
                                                                                       'MEMORY.md, USER.md, its '
                                                                                       'provider.',
                                                                               'value': 'dir'},
                                                             '--on-conflict': {'help': 'What to do with a row that '
                                                                                       'is there already.',
                                                                               'value': 'words:replace,keep,error'},
                                                             '--backend': {'help': 'The backend; memory.backend by '
                                                                                   'default.',
                                                                           'value': 'backend'},
                                                             '--layer': {'help': 'Ask this layer alone '
                                                                                 '(memory.backend layers).',
                                                                         'value': 'text'},
                                                             '--receipt': {'help': 'Show what was done where '
                                                                                   '(memory.backend layers).',
                                                                           'value': None},
                                                             '--json': {'help': 'Print JSON.', 'value': None}},
                                                 'arguments': ['file'],
                                                 'commands': {}},
                                      'layers': {'help': 'Show the layers of memory, and let them take part or '
                                                         'not.',
                                                 'options': {'-h': {'help': 'Show this message and exit.',
                                                                    'value': None},
                                                             '--help': {'help': 'Show this message and exit.',
                                                                        'value': None},
                                                             '--json': {'help': 'Print JSON.', 'value': None}},
                                                 'arguments': [],
                                                 'commands': {'disable': {'help': 'Disable a layer; its settings '
                                                                                  'and data stay.',
                                                                          'options': {'-h': {'help': 'Show this '
                                                                                                     'message and '
                                                                                                     'exit.',
                                                                                             'value': None},
                                                                                      '--help': {'help': 'Show '
                                                                                                         'this '
                                                                                                         'message '
                                                                                                         'and '
                                                                                                         'exit.',
                                                                                                 'value': None},
                                                                                      '--json': {'help': 'Print '
                                                                                                         'JSON.',
                                                                                                 'value': None}},
                                                                          'arguments': ['text'],
                                                                          'commands': {}},
                                                              'enable': {'help': 'Enable a layer.',
                                                                         'options': {'-h': {'help': 'Show this '
                                                                                                    'message and '
                                                                                                    'exit.',
                                                                                            'value': None},
                                                                                     '--help': {'help': 'Show this '
                                                                                                        'message '
                                                                                                        'and exit.',
                                                                                                'value': None},
                                                                                     '--automatic': {'help': 'For '
                                                                                                             'agents '
                                                                                                             'and '
                                                                                                             'hooks '
                                                                                                             'too; '
                                                                                                             'otherwise '
                                                                                                             'for '
                                                                                                             'what '
                                                                                                             'a '
                                                                                                             'person '
                                                                                                             'asks.',
                                                                                                     'value': None},
                                                                                     '--json': {'help': 'Print '
                                                                                                        'JSON.',
                                                                                                'value': None}},
                                                                         'arguments': ['text'],
                                                                         'commands': {}}}},
                                      'list': {'help': 'List entries, a page at a time.',
                                               'options': {'-h': {'help': 'Show this message and exit.',
                                                                  'value': None},
                                                           '--help': {'help': 'Show this message and exit.',
                                                                      'value': None},
                                                           '--category': {'help': 'core, daily, conversation, or a '
                                                                                  'word of your own.',
                                                                          'value': 'text'},
                                                           '--session': {'help': 'One session.', 'value': 'text'},
                                                           '--limit': {'help': 'At most so many.', 'value': 'text'},
                                                           '--offset': {'help': 'Skip the first N.',
                                                                        'value': 'text'},
                                                           '--agent': {'help': 'An agent, by its alias.',
                                                                       'value': 'text'},
                                                           '--agent-id': {'help': 'An agent, by its id.',
                                                                          'value': 'text'},
                                                           '--backend': {'help': 'The backend; memory.backend by '
                                                                                 'default.',
                                                                         'value': 'backend'},
                                                           '--layer': {'help': 'Ask this layer alone '
                                                                               '(memory.backend layers).',
                                                                       'value': 'text'},
                                                           '--receipt': {'help': 'Show what was done where '
                                                                                 '(memory.backend layers).',
                                                                         'value': None},
                                                           '--json': {'help': 'Print JSON.', 'value': None}},
                                               'arguments': [],
                                               'commands': {}},
                                      'new-provider': {'help': 'Start a provider from a copy of the bundled '
                                                               'example.',
                                                       'options': {'-h': {'help': 'Show this message and exit.',
                                                                          'value': None},
                                                                   '--help': {'help': 'Show this message and exit.',
                                                                              'value': None},
                                                                   '--dir': {'help': 'Where its folder is made; '
                                                                                     'plugins/memory/ of the home '
                                                                                     'by default.',
                                                                             'value': 'dir'},
                                                                   '--json': {'help': 'Print JSON.',
                                                                              'value': None}},
                                                       'arguments': ['text'],
                                                       'commands': {}},
                                      'off': {'help': 'Stop using the provider; its settings and data stay.',
                                              'options': {'-h': {'help': 'Show this message and exit.',
                                                                 'value': None},
                                                          '--help': {'help': 'Show this message and exit.',
                                                                     'value': None},
                                                          '--json': {'help': 'Print JSON.', 'value': None}},
                                              'arguments': [],
                                              'commands': {}},
                                      'plan': {'help': 'Show the plan for a request without running it.',
                                               'options': {'-h': {'help': 'Show this message and exit.',
                                                                  'value': None},
                                                           '--help': {'help': 'Show this message and exit.',
                                                                      'value': None},
                                                           '--query': {'help': 'What would be looked for; - for '
                                                                               'stdin.',
                                                                       'value': 'text'},
                                                           '--key': {'help': 'Whose entry it would be about.',
                                                                     'value': 'text'},
                                                           '--layer': {'help': 'Ask this layer alone.',
                                                                       'value': 'text'},
                                                           '--limit': {'help': 'As if so many were asked for; as '
                                                                               'the command by default.',
                                                                       'value': 'text'},
                                                           '--trigger': {'help': 'manual, automatic or system; as '
                                                                                 'this process by default.',
                                                                         'value': 'text'},
                                                           '--json': {'help': 'Print JSON.', 'value': None}},
                                               'arguments': ['text'],
                                               'commands': {}},
                                      'profile': {'help': "Show and set the user's timezone, locale and location.",
                                                  'options': {'-h': {'help': 'Show this message and exit.',
                                                                     'value': None},
                                                              '--help': {'help': 'Show this message and exit.',
                                                                         'value': None}},
                                                  'arguments': [],
                                                  'commands': {'get': {'help': "Show the user's profile.",
                                                                       'options': {'-h': {'help': 'Show this '
                                                                                                  'message and '
                                                                                                  'exit.',
                                                                                          'value': None},
                                                                                   '--help': {'help': 'Show this '
                                                                                                      'message and '
                                                                                                      'exit.',
                                                                                              'value': None},
                                                                                   '--agent': {'help': 'The agent '
                                                                                                       'whose '
                                                                                                       'documents '
                                                                                                       'they are.',
                                                                                               'value': 'text'},
                                                                                   '--project': {'help': 'The '
                                                                                                         'project; '
                                                                                                         'memory.native.project '
                                                                                                         'by '
                                                                                                         'default.',
                                                                                                 'value': 'text'},
                                                                                   '--backend': {'help': 'The '
                                                                                                         'backend; '
                                                                                                         'memory.backend '
                                                                                                         'by '
                                                                                                         'default.',
                                                                                                 'value': 'backend'},
                                                                                   '--layer': {'help': 'Ask this '
                                                                                                       'layer '
                                                                                                       'alone '
                                                                                                       '(memory.backend '
                                                                                                       'layers).',
                                                                                               'value': 'text'},
                                                                                   '--receipt': {'help': 'Show '
                                                                                                         'what was '
                                                                                                         'done '
                                                                                                         'where '
                                                                                                         '(memory.backend '
                                                                                                         'layers).',
                                                                                                 'value': None},
                                                                                   '--json': {'help': 'Print JSON.',
                                                                                              'value': None}},
                                                                       'arguments': [],
                                                                       'commands': {}},
                                                               'set': {'help': 'Set fields of the profile; the '
                                                                               'others stay.',
                                                                       'options': {'-h': {'help': 'Show this '
                                                                                                  'message and '
                                                                                                  'exit.',
                                                                                          'value': None},
                                                                                   '--help': {'help': 'Show this '
                                                                                                      'message and '
                                                                                                      'exit.',
                                                                                              'value': None},
                                                                                   '--timezone': {'help': 'An IANA '
                                                                                                          'name '
                                                                                                          'such as '
                                                                                                          'Europe/Berlin.',
                                                                                                  'value': 'text'},
                                                                                   '--locale': {'help': 'A '
                                                                                                        'language '
                                                                                                        'tag such '
                                                                                                        'as de-DE.',
                                                                                                'value': 'text'},
                                                                                   '--location': {'help': 'Where '
                                                                                                          'the '
                                                                                                          'user '
                                                                                                          'is, in '
                                                                                                          'words.',
                                                                                                  'value': 'text'},
                                                                                   '--agent': {'help': 'The agent '
                                                                                                       'whose '
                                                                                                       'documents '
                                                                                                       'they are.',
                                                                                               'value': 'text'},
                                                                                   '--project': {'help': 'The '
                                                                                                         'project; '
                                                                                                         'memory.native.project '
                                                                                                         'by '
                                                                                                         'default.',
                                                                                                 'value': 'text'},
                                                                                   '--backend': {'help': 'The '
                                                                                                         'backend; '
                                                                                                         'memory.backend '
                                                                                                         'by '
                                                                                                         'default.',
                                                                                                 'value': 'backend'},
                                                                                   '--layer': {'help': 'Ask this '
                                                                                                       'layer '
                                                                                                       'alone '
                                                                                                       '(memory.backend '
                                                                                                       'layers).',
                                                                                               'value': 'text'},
                                                                                   '--receipt': {'help': 'Show '
                                                                                                         'what was '
                                                                                                         'done '
                                                                                                         'where '
                                                                                                         '(memory.backend '
                                                                                                         'layers).',
                                                                                                 'value': None},
                                                                                   '--json': {'help': 'Print JSON.',
                                                                                              'value': None}},
                                                                       'arguments': [],
                                                                       'commands': {}}}},
                                      'providers': {'help': 'List the installed Python memory providers.',
                                                    'options': {'-h': {'help': 'Show this message and exit.',
                                                                       'value': None},
                                                                '--help': {'help': 'Show this message and exit.',
                                                                           'value': None},
                                                                '--json': {'help': 'Print JSON.', 'value': None}},
                                                    'arguments': [],
                                                    'commands': {}},
                                      'purge': {'help': 'Delete all that a namespace, a session or an agent has.',
                                                'options': {'-h': {'help': 'Show this message and exit.',
                                                                   'value': None},
                                                            '--help': {'help': 'Show this message and exit.',
                                                                       'value': None},
                                                            '--namespace': {'help': 'One namespace.',
                                                                            'value': 'text'},
                                                            '--session': {'help': 'One session.', 'value': 'text'},
                                                            '--agent': {'help': 'An agent, by its alias.',
                                                                        'value': 'text'},
                                                            '--agent-id': {'help': 'An agent, by its id.',
                                                                           'value': 'text'},
                                                            '--yes': {'help': 'Answer yes to the question.',
                                                                      'value': None},
                                                            '-y': {'help': 'Answer yes to the question.',
                                                                   'value': None},
                                                            '--backend': {'help': 'The backend; memory.backend by '
                                                                                  'default.',
                                                                          'value': 'backend'},
                                                            '--layer': {'help': 'Ask this layer alone '
                                                                                '(memory.backend layers).',
                                                                        'value': 'text'},
                                                            '--receipt': {'help': 'Show what was done where '
                                                                                  '(memory.backend layers).',
                                                                          'value': None},
                                                            '--json': {'help': 'Print JSON.', 'value': None}},
                                                'arguments': [],
                                                'commands': {}},
                                      'recall': {'help': 'Recall what matches QUERY, best first.',
                                                 'options': {'-h': {'help': 'Show this message and exit.',
                                                                    'value': None},
                                                             '--help': {'help': 'Show this message and exit.',
                                                                        'value': None},
                                                             '--limit': {'help': 'At most so many.',
                                                                         'value': 'text'},
                                                             '--session': {'help': 'One session, with what belongs '
                                                                                   'to none (built-in store).',
                                                                           'value': 'text'},
                                                             '--since': {'help': 'Not before: RFC 3339, a date, or '
                                                                                 'an age such as 7d.',
                                                                         'value': 'text'},
                                                             '--until': {'help': 'Not after: RFC 3339, a date, or '
                                                                                 'an age such as 12h.',
                                                                         'value': 'text'},
                                                             '--namespace': {'help': 'One namespace.',
                                                                             'value': 'text'},
                                                             '--agent': {'help': 'An agent, by its alias; may be '
                                                                                 'repeated.',
                                                                         'value': 'text'},
                                                             '--agent-id': {'help': 'An agent, by its id; may be '
                                                                                    'repeated.',
                                                                            'value': 'text'},
                                                             '--explain': {'help': 'Say how each score came about '
                                                                                   '(built-in store).',
                                                                           'value': None},
                                                             '--backend': {'help': 'The backend; memory.backend by '
                                                                                   'default.',
                                                                           'value': 'backend'},
                                                             '--layer': {'help': 'Ask this layer alone '
                                                                                 '(memory.backend layers).',
                                                                         'value': 'text'},
                                                             '--receipt': {'help': 'Show what was done where '
                                                                                   '(memory.backend layers).',
                                                                           'value': None},
                                                             '--json': {'help': 'Print JSON.', 'value': None}},
                                                 'arguments': ['text'],
                                                 'commands': {}},
                                      'receipts': {'help': 'Show what was done through the layers, newest first.',
                                                   'options': {'-h': {'help': 'Show this message and exit.',
                                                                      'value': None},
                                                               '--help': {'help': 'Show this message and exit.',
                                                                          'value': None},
                                                               '--limit': {'help': 'At most so many.',
                                                                           'value': 'text'},
                                                               '--json': {'help': 'Print JSON.', 'value': None}},
                                                   'arguments': [],
                                                   'commands': {}},
                                      'record': {'help': 'Keep one finished turn; returns when it is kept.',
                                                 'options': {'-h': {'help': 'Show this message and exit.',
                                                                    'value': None},
                                                             '--help': {'help': 'Show this message and exit.',
                                                                        'value': None},
                                                             '--thread': {'help': 'The conversation that it '
                                                                                  'belongs to.',
                                                                          'value': 'text'},
                                                             '--run': {'help': "The turn's id; recording it again "
                                                                               'replaces it. Without one, what is '
                                                                               'new in the thread is kept.',
                                                                       'value': 'text'},
                                                             '--agent': {'help': 'The agent whose documents they '
                                                                                 'are.',
                                                                         'value': 'text'},
                                                             '--project': {'help': 'The project; '
                                                                                   'memory.native.project by '
                                                                                   'default.',
                                                                           'value': 'text'},
                                                             '--backend': {'help': 'The backend; memory.backend by '
                                                                                   'default.',
                                                                           'value': 'backend'},
                                                             '--layer': {'help': 'Ask this layer alone '
                                                                                 '(memory.backend layers).',
                                                                         'value': 'text'},
                                                             '--receipt': {'help': 'Show what was done where '
                                                                                   '(memory.backend layers).',
                                                                           'value': None},
                                                             '--json': {'help': 'Print JSON.', 'value': None}},
                                                 'arguments': ['file'],
                                                 'commands': {}},
                                      'reindex': {'help': "Rebuild the backend's index.",
                                                  'options': {'-h': {'help': 'Show this message and exit.',
                                                                     'value': None},
                                                              '--help': {'help': 'Show this message and exit.',
                                                                         'value': None},
                                                              '--backend': {'help': 'The backend; memory.backend '
                                                                                    'by default.',
                                                                            'value': 'backend'},
                                                              '--layer': {'help': 'Ask this layer alone '
                                                                                  '(memory.backend layers).',
                                                                          'value': 'text'},
                                                              '--receipt': {'help': 'Show what was done where '
                                                                                    '(memory.backend layers).',
                                                                            'value': None},
                                                              '--json': {'help': 'Print JSON.', 'value': None}},
                                                  'arguments': [],
                                                  'commands': {}},
                                      'restore': {'help': 'Restore memory from a backup; the current data is kept.',
                                                  'options': {'-h': {'help': 'Show this message and exit.',
                                                                     'value': None},
                                                              '--help': {'help': 'Show this message and exit.',
                                                                         'value': None},
                                                              '--json': {'help': 'Print JSON.', 'value': None}},
                                                  'arguments': ['file'],
                                                  'commands': {}},
                                      'setup': {'help': 'Choose, configure and activate a memory provider.',
                                                'options': {'-h': {'help': 'Show this message and exit.',
                                                                   'value': None},
                                                            '--help': {'help': 'Show this message and exit.',
                                                                       'value': None},
                                                            '--set': {'help': 'An answer; may be given many times.',
                                                                      'value': 'text'},
                                                            '--secret-stdin': {'help': 'Read the secret KEY from '
                                                                                       'stdin.',
                                                                               'value': 'text'},
                                                            '--answers': {'help': 'Answers by key, in TOML or '
                                                                                  'JSON; - reads stdin.',
                                                                          'value': 'file'},
                                                            '--trust': {'help': 'Let its code run: the digest that '
                                                                                'you looked at, or now.',
                                                                        'value': 'text'},
                                                            '--install-deps': {'help': 'Install the packages that '
                                                                                       'it needs, for it alone.',
                                                                               'value': None},
                                                            '--as-backend': {'help': 'Let the memory commands open '
                                                                                     'it instead of the built-in '
                                                                                     'store.',
                                                                             'value': None},
                                                            '--yes': {'help': 'Confirm saving; trust and packages '
                                                                              'have options of their own.',
                                                                      'value': None},
                                                            '-y': {'help': 'Confirm saving; trust and packages '
                                                                           'have options of their own.',
                                                                   'value': None},
                                                            '--no-interactive': {'help': 'Ask nothing, even on a '
                                                                                         'terminal.',
                                                                                 'value': None},
                                                            '--json': {'help': 'Print JSON.', 'value': None}},
                                                'arguments': ['provider'],
                                                'commands': {}},
                                      'stats': {'help': 'The backend, its health, and what it holds.',
                                                'options': {'-h': {'help': 'Show this message and exit.',
                                                                   'value': None},
                                                            '--help': {'help': 'Show this message and exit.',
                                                                       'value': None},
                                                            '--backend': {'help': 'The backend; memory.backend by '
                                                                                  'default.',
                                                                          'value': 'backend'},
                                                            '--layer': {'help': 'Ask this layer alone '
                                                                                '(memory.backend layers).',
                                                                        'value': 'text'},
                                                            '--receipt': {'help': 'Show what was done where '
                                                                                  '(memory.backend layers).',
                                                                          'value': None},
                                                            '--json': {'help': 'Print JSON.', 'value': None}},
                                                'arguments': [],
                                                'commands': {}},
                                      'status': {'help': 'Show the backend and the provider and whether they work.',
                                                 'options': {'-h': {'help': 'Show this message and exit.',
                                                                    'value': None},
                                                             '--help': {'help': 'Show this message and exit.',
                                                                        'value': None},
                                                             '--backend': {'help': 'The backend; memory.backend by '
                                                                                   'default.',
                                                                           'value': 'backend'},
                                                             '--json': {'help': 'Print JSON.', 'value': None}},
                                                 'arguments': [],
                                                 'commands': {}},
                                      'store': {'help': 'Store one memory under KEY.',
                                                'options': {'-h': {'help': 'Show this message and exit.',
                                                                   'value': None},
                                                            '--help': {'help': 'Show this message and exit.',
                                                                       'value': None},
                                                            '--category': {'help': 'core, daily, conversation, or '
                                                                                   'a word of your own.',
                                                                           'value': 'text'},
                                                            '--session': {'help': 'One session.', 'value': 'text'},
                                                            '--namespace': {'help': 'One namespace.',
                                                                            'value': 'text'},
                                                            '--importance': {'help': 'How much it matters, 0 to 1.',
                                                                             'value': 'text'},
                                                            '--kind': {'help': 'What it is: a word of your own '
                                                                               '(built-in store).',
                                                                       'value': 'text'},
                                                            '--pinned': {'help': 'Let every prompt that it fits '
                                                                                 'recall it, whatever its '
                                                                                 'category; under the layers each '
                                                                                 'prompt has it (built-in store).',
                                                                         'value': None},
                                                            '--no-pinned': {'help': 'Let every prompt that it fits '
                                                                                    'recall it, whatever its '
                                                                                    'category; under the layers '
                                                                                    'each prompt has it (built-in '
                                                                                    'store).',
                                                                            'value': None},
                                                            '--replace': {'help': 'Replace the entry completely; '
                                                                                  'only its creation time is kept.',
                                                                          'value': None},
                                                            '--agent': {'help': 'An agent, by its alias.',
                                                                        'value': 'text'},
                                                            '--agent-id': {'help': 'An agent, by its id.',
                                                                           'value': 'text'},
                                                            '--backend': {'help': 'The backend; memory.backend by '
                                                                                  'default.',
                                                                          'value': 'backend'},
                                                            '--layer': {'help': 'Ask this layer alone '
                                                                                '(memory.backend layers).',
                                                                        'value': 'text'},
                                                            '--receipt': {'help': 'Show what was done where '
                                                                                  '(memory.backend layers).',
                                                                          'value': None},
                                                            '--json': {'help': 'Print JSON.', 'value': None}},
                                                'arguments': ['text', 'text'],
                                                'commands': {}},
                                      'trust': {'help': "Trust a provider's current code.",
                                                'options': {'-h': {'help': 'Show this message and exit.',
                                                                   'value': None},
                                                            '--help': {'help': 'Show this message and exit.',
                                                                       'value': None},
                                                            '--trust': {'help': 'Let its code run: the digest that '
                                                                                'you looked at, or now.',
                                                                        'value': 'text'},
                                                            '--json': {'help': 'Print JSON.', 'value': None}},
                                                'arguments': ['provider'],
                                                'commands': {}},
                                      'wake': {'help': 'Print the text that every system prompt would get.',
                                               'options': {'-h': {'help': 'Show this message and exit.',
                                                                  'value': None},
                                                           '--help': {'help': 'Show this message and exit.',
                                                                      'value': None},
                                                           '--agent': {'help': 'The agent whose documents they '
                                                                               'are.',
                                                                       'value': 'text'},
                                                           '--project': {'help': 'The project; '
                                                                                 'memory.native.project by '
                                                                                 'default.',
                                                                         'value': 'text'},
                                                           '--json': {'help': 'Print JSON.', 'value': None}},
                                               'arguments': [],
                                               'commands': {}}}},
              'plugin': {'help': 'Install, show, check and switch plugins.',
                         'options': {'-h': {'help': 'Show this message and exit.', 'value': None},
                                     '--help': {'help': 'Show this message and exit.', 'value': None}},
                         'arguments': [],
                         'commands': {'adopt-data': {'help': 'Hand kept data to the package that has its name now.',
                                                     'options': {'-h': {'help': 'Show this message and exit.',
                                                                        'value': None},
                                                                 '--help': {'help': 'Show this message and exit.',
                                                                            'value': None},
                                                                 '--json': {'help': 'Print JSON.', 'value': None}},
                                                     'arguments': ['package'],
                                                     'commands': {}},
                                      'check': {'help': 'Check a package against every rule without installing it.',
                                                'options': {'-h': {'help': 'Show this message and exit.',
                                                                   'value': None},
                                                            '--help': {'help': 'Show this message and exit.',
                                                                       'value': None},
                                                            '--json': {'help': 'Print JSON.', 'value': None}},
                                                'arguments': ['dir'],
                                                'commands': {}},
                                      'disable': {'help': 'Switch a package off; it stays installed.',
                                                  'options': {'-h': {'help': 'Show this message and exit.',
                                                                     'value': None},
                                                              '--help': {'help': 'Show this message and exit.',
                                                                         'value': None},
                                                              '--json': {'help': 'Print JSON.', 'value': None}},
                                                  'arguments': ['package'],
                                                  'commands': {}},
                                      'enable': {'help': 'Switch a disabled package on again.',
                                                 'options': {'-h': {'help': 'Show this message and exit.',
                                                                    'value': None},
                                                             '--help': {'help': 'Show this message and exit.',
                                                                        'value': None},
                                                             '--json': {'help': 'Print JSON.', 'value': None}},
                                                 'arguments': ['package'],
                                                 'commands': {}},
                                      'info': {'help': 'Show one package.',
                                               'options': {'-h': {'help': 'Show this message and exit.',
                                                                  'value': None},
                                                           '--help': {'help': 'Show this message and exit.',
                                                                      'value': None},
                                                           '--load': {'help': 'Open the component: its imports and '
                                                                              'capabilities.',
                                                                      'value': None},
                                                           '--json': {'help': 'Print JSON.', 'value': None}},
                                               'arguments': ['package'],
                                               'commands': {}},
                                      'install': {'help': 'Install a package.',
                                                  'options': {'-h': {'help': 'Show this message and exit.',
                                                                     'value': None},
                                                              '--help': {'help': 'Show this message and exit.',
                                                                         'value': None},
                                                              '--replace': {'help': 'Put it in the place of the '
                                                                                    'installed one; data and '
                                                                                    'config stay.',
                                                                            'value': None},
                                                              '--dry-run': {'help': 'Check the package and show '
                                                                                    'what would happen.',
                                                                            'value': None},
                                                              '--yes': {'help': 'Answer yes to every question; a '
                                                                                'local package raises none.',
                                                                        'value': None},
                                                              '-y': {'help': 'Answer yes to every question; a '
                                                                             'local package raises none.',
                                                                     'value': None},
                                                              '--json': {'help': 'Print JSON.', 'value': None}},
                                                  'arguments': ['file'],
                                                  'commands': {}},
                                      'keygen': {'help': "Make a publisher's key; its public half is printed.",
                                                 'options': {'-h': {'help': 'Show this message and exit.',
                                                                    'value': None},
                                                             '--help': {'help': 'Show this message and exit.',
                                                                        'value': None},
                                                             '--out': {'help': 'Write the private key there.',
                                                                       'value': 'file'},
                                                             '--public': {'help': 'Write the public key beside it, '
                                                                                  'as FILE.pub.',
                                                                          'value': None},
                                                             '--json': {'help': 'Print JSON.', 'value': None}},
                                                 'arguments': [],
                                                 'commands': {}},
                                      'list': {'help': 'List the installed packages that the policy admits.',
                                               'options': {'-h': {'help': 'Show this message and exit.',
                                                                  'value': None},
                                                           '--help': {'help': 'Show this message and exit.',
                                                                      'value': None},
                                                           '--all': {'help': 'Also what was skipped, and why.',
                                                                     'value': None},
                                                           '--json': {'help': 'Print JSON.', 'value': None}},
                                               'arguments': [],
                                               'commands': {}},
                                      'logs': {'help': 'Show what a plugin has logged, oldest first, as JSON '
                                                       'Lines.',
                                               'options': {'-h': {'help': 'Show this message and exit.',
                                                                  'value': None},
                                                           '--help': {'help': 'Show this message and exit.',
                                                                      'value': None},
                                                           '--follow': {'help': 'Go on with what it logs from now '
                                                                                'on.',
                                                                        'value': None},
                                                           '-f': {'help': 'Go on with what it logs from now on.',
                                                                  'value': None},
                                                           '--json': {'help': 'Print JSON.', 'value': None}},
                                               'arguments': ['package'],
                                               'commands': {}},
                                      'migrate': {'help': 'Move packages from legacy folders to the plugins '
                                                          'folder.',
                                                  'options': {'-h': {'help': 'Show this message and exit.',
                                                                     'value': None},
                                                              '--help': {'help': 'Show this message and exit.',
                                                                         'value': None},
                                                              '--json': {'help': 'Print JSON.', 'value': None}},
                                                  'arguments': [],
                                                  'commands': {}},
                                      'outdated': {'help': 'Show which packages have a newer version at their '
                                                           'source.',
                                                   'options': {'-h': {'help': 'Show this message and exit.',
                                                                      'value': None},
                                                               '--help': {'help': 'Show this message and exit.',
                                                                          'value': None},
                                                               '--json': {'help': 'Print JSON.', 'value': None}},
                                                   'arguments': [],
                                                   'commands': {}},
                                      'remove': {'help': 'Remove a package; its config and data stay unless '
                                                         'purged.',
                                                 'options': {'-h': {'help': 'Show this message and exit.',
                                                                    'value': None},
                                                             '--help': {'help': 'Show this message and exit.',
                                                                        'value': None},
                                                             '--purge-config': {'help': 'Its config entries, too.',
                                                                                'value': None},
                                                             '--purge-data': {'help': 'What it remembers, too.',
                                                                              'value': None},
                                                             '--yes': {'help': 'Answer yes to the question.',
                                                                       'value': None},
                                                             '-y': {'help': 'Answer yes to the question.',
                                                                    'value': None},
                                                             '--json': {'help': 'Print JSON.', 'value': None}},
                                                 'arguments': ['package'],
                                                 'commands': {}},
                                      'rollback': {'help': 'Go back to the previous version of a package.',
                                                   'options': {'-h': {'help': 'Show this message and exit.',
                                                                      'value': None},
                                                               '--help': {'help': 'Show this message and exit.',
                                                                          'value': None},
                                                               '--json': {'help': 'Print JSON.', 'value': None}},
                                                   'arguments': ['package'],
                                                   'commands': {}},
                                      'sign': {'help': 'Sign a package.',
                                               'options': {'-h': {'help': 'Show this message and exit.',
                                                                  'value': None},
                                                           '--help': {'help': 'Show this message and exit.',
                                                                      'value': None},
                                                           '--key': {'help': 'The private key; - for stdin, else '
                                                                             '$ZEROCLAW_SIGNING_KEY.',
                                                                     'value': 'file'},
                                                           '--json': {'help': 'Print JSON.', 'value': None}},
                                               'arguments': ['dir'],
                                               'commands': {}},
                                      'trust': {'help': 'The publishers whose signatures count.',
                                                'options': {'-h': {'help': 'Show this message and exit.',
                                                                   'value': None},
                                                            '--help': {'help': 'Show this message and exit.',
                                                                       'value': None}},
                                                'arguments': [],
                                                'commands': {'add': {'help': 'Trust a publisher.',
                                                                     'options': {'-h': {'help': 'Show this message '
                                                                                                'and exit.',
                                                                                        'value': None},
                                                                                 '--help': {'help': 'Show this '
                                                                                                    'message and '
                                                                                                    'exit.',
                                                                                            'value': None},
                                                                                 '--json': {'help': 'Print JSON.',
                                                                                            'value': None}},
                                                                     'arguments': ['text'],
                                                                     'commands': {}},
                                                             'list': {'help': 'List the trusted publishers.',
                                                                      'options': {'-h': {'help': 'Show this '
                                                                                                 'message and '
                                                                                                 'exit.',
                                                                                         'value': None},
                                                                                  '--help': {'help': 'Show this '
                                                                                                     'message and '
                                                                                                     'exit.',
                                                                                             'value': None},
                                                                                  '--json': {'help': 'Print JSON.',
                                                                                             'value': None}},
                                                                      'arguments': [],
                                                                      'commands': {}},
                                                             'remove': {'help': 'Trust a publisher no more.',
                                                                        'options': {'-h': {'help': 'Show this '
                                                                                                   'message and '
                                                                                                   'exit.',
                                                                                           'value': None},
                                                                                    '--help': {'help': 'Show this '
                                                                                                       'message '
                                                                                                       'and exit.',
                                                                                               'value': None},
                                                                                    '--json': {'help': 'Print '
                                                                                                       'JSON.',
                                                                                               'value': None}},
                                                                        'arguments': ['text'],
                                                                        'commands': {}}}},
                                      'update': {'help': 'Update packages from their sources.',
                                                 'options': {'-h': {'help': 'Show this message and exit.',
                                                                    'value': None},
                                                             '--help': {'help': 'Show this message and exit.',
                                                                        'value': None},
                                                             '--all': {'help': 'Every installed package.',
                                                                       'value': None},
                                                             '--dry-run': {'help': 'Judge the new versions and say '
                                                                                   'what would happen.',
                                                                           'value': None},
                                                             '--allow-downgrade': {'help': 'Take a version that is '
                                                                                           'not newer, too.',
                                                                                   'value': None},
                                                             '--json': {'help': 'Print JSON.', 'value': None}},
                                                 'arguments': ['package'],
                                                 'commands': {}},
                                      'verify': {'help': 'Check the bytes, signature and loading of what is '
                                                         'installed.',
                                                 'options': {'-h': {'help': 'Show this message and exit.',
                                                                    'value': None},
                                                             '--help': {'help': 'Show this message and exit.',
                                                                        'value': None},
                                                             '--all': {'help': 'Everything in the plugins folder.',
                                                                       'value': None},
                                                             '--accept': {'help': 'Record what is there as right, '
                                                                                  'in plugins.lock.',
                                                                          'value': None},
                                                             '--json': {'help': 'Print JSON.', 'value': None}},
                                                 'arguments': ['package'],
                                                 'commands': {}}}},
              'strategy': {'help': 'Write, try and promote strategies of the memory layers.',
                           'options': {'-h': {'help': 'Show this message and exit.', 'value': None},
                                       '--help': {'help': 'Show this message and exit.', 'value': None}},
                           'arguments': [],
                           'commands': {'check': {'help': 'Check a strategy without running it.',
                                                  'options': {'-h': {'help': 'Show this message and exit.',
                                                                     'value': None},
                                                              '--help': {'help': 'Show this message and exit.',
                                                                         'value': None},
                                                              '--strict': {'help': 'Let a warning fail it too.',
                                                                           'value': None},
                                                              '--json': {'help': 'Print JSON.', 'value': None}},
                                                  'arguments': ['dir'],
                                                  'commands': {}},
                                        'list': {'help': 'List the promoted strategies and what happened last.',
                                                 'options': {'-h': {'help': 'Show this message and exit.',
                                                                    'value': None},
                                                             '--help': {'help': 'Show this message and exit.',
                                                                        'value': None},
                                                             '--json': {'help': 'Print JSON.', 'value': None}},
                                                 'arguments': [],
                                                 'commands': {}},
                                        'new': {'help': 'Start a strategy from one that passes check and replay.',
                                                'options': {'-h': {'help': 'Show this message and exit.',
                                                                   'value': None},
                                                            '--help': {'help': 'Show this message and exit.',
                                                                       'value': None},
                                                            '--dir': {'help': 'Where its folder is made; here by '
                                                                              'default.',
                                                                      'value': 'dir'},
                                                            '--python': {'help': 'Write a strategy.py instead of '
                                                                                 'rules.toml.',
                                                                         'value': None},
                                                            '--json': {'help': 'Print JSON.', 'value': None}},
                                                'arguments': ['text'],
                                                'commands': {}},
                                        'promote': {'help': 'Make a strategy the active one.',
                                                    'options': {'-h': {'help': 'Show this message and exit.',
                                                                       'value': None},
                                                                '--help': {'help': 'Show this message and exit.',
                                                                           'value': None},
                                                                '--yes': {'help': 'Answer yes to the question.',
                                                                          'value': None},
                                                                '-y': {'help': 'Answer yes to the question.',
                                                                       'value': None},
                                                                '--signature': {'help': 'Approve by this signature '
                                                                                        'of a trusted publisher; '
                                                                                        'strategy.sig else.',
                                                                                'value': 'file'},
                                                                '--canary': {'help': 'Only for so many percent of '
                                                                                     'the turns, at first.',
                                                                             'value': 'text'},
                                                                '--trust': {'help': 'Let its strategy.py run: the '
                                                                                    'digest that you looked at, or '
                                                                                    'now.',
                                                                            'value': 'text'},
                                                                '--json': {'help': 'Print JSON.', 'value': None}},
                                                    'arguments': ['dir'],
                                                    'commands': {}},
                                        'replay': {'help': "Run a strategy's cases and the standard escape "
                                                           'attempts.',
                                                   'options': {'-h': {'help': 'Show this message and exit.',
                                                                      'value': None},
                                                               '--help': {'help': 'Show this message and exit.',
                                                                          'value': None},
                                                               '--cases': {'help': 'Cases in the place of its '
                                                                                   'replay.jsonl; leaves no '
                                                                                   'evidence.',
                                                                           'value': 'file'},
                                                               '--trust': {'help': 'Let its strategy.py run: the '
                                                                                   'digest that you looked at, or '
                                                                                   'now.',
                                                                           'value': 'text'},
                                                               '--json': {'help': 'Print JSON.', 'value': None}},
                                                   'arguments': ['dir'],
                                                   'commands': {}},
                                        'rollback': {'help': 'Take back the canary, or else the last promotion.',
                                                     'options': {'-h': {'help': 'Show this message and exit.',
                                                                        'value': None},
                                                                 '--help': {'help': 'Show this message and exit.',
                                                                            'value': None},
                                                                 '--to': {'help': 'This promoted strategy; the one '
                                                                                  'before by default.',
                                                                          'value': 'text'},
                                                                 '--json': {'help': 'Print JSON.', 'value': None}},
                                                     'arguments': [],
                                                     'commands': {}},
                                        'shadow': {'help': "Compare a strategy's plans with those of the active "
                                                           'one.',
                                                   'options': {'-h': {'help': 'Show this message and exit.',
                                                                      'value': None},
                                                               '--help': {'help': 'Show this message and exit.',
                                                                          'value': None},
                                                               '--requests': {'help': 'Requests to plan, one JSON '
                                                                                      'object a line.',
                                                                              'value': 'file'},
                                                               '--receipts': {'help': 'Plan the requests of the '
                                                                                      'newest N receipts; 100 by '
                                                                                      'default, its cases where '
                                                                                      'there are none.',
                                                                              'value': 'text'},
                                                               '--trust': {'help': 'Let its strategy.py run: the '
                                                                                   'digest that you looked at, or '
                                                                                   'now.',
                                                                           'value': 'text'},
                                                               '--json': {'help': 'Print JSON.', 'value': None}},
                                                   'arguments': ['dir'],
                                                   'commands': {}},
                                        'sign': {'help': 'Sign a strategy as its publisher.',
                                                 'options': {'-h': {'help': 'Show this message and exit.',
                                                                    'value': None},
                                                             '--help': {'help': 'Show this message and exit.',
                                                                        'value': None},
                                                             '--key': {'help': 'The private key; - for stdin, else '
                                                                               '$ZEROCLAW_SIGNING_KEY.',
                                                                       'value': 'file'},
                                                             '--json': {'help': 'Print JSON.', 'value': None}},
                                                 'arguments': ['dir'],
                                                 'commands': {}}}}}}
