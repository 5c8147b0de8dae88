/**
 * Executable configuration, as data: files that make some program run something. `unprompted` ones run without a user
 * starting them (a commit, a changed folder, an opened editor is enough); what a command does to them is withheld and
 * asked for. `started` ones run when a user starts them; they are kept and listed. `docs/permissions.md` shows this.
 */
import {
  attributeParts,
  bazelVersionParts,
  commonFolderParts,
  pathFileParts,
  pnpmParts,
  rebaseParts,
  rustToolchainParts,
  toolVersionParts,
} from './attributes.ts'

export type Executable = {
  readonly name: string
  /**
   * Names or the ends of paths, compared without regard to case, at any depth. `folder/**` means everything below it,
   * `*` stands for any letters of one name.
   */
  readonly paths: readonly string[]
  /** Those of the paths that no everyday command changes: read-only in the sandbox where they exist. */
  readonly readOnly?: readonly string[]
  /** From the folder of a repository (`.git`, a submodule's, a bare one) instead of the project. */
  readonly inRepository?: true
  /** Completes "If it stays, …". */
  readonly does: string
  readonly runs: 'unprompted' | 'started'
  /**
   * `git-config` and `git-link` are read by git's rules; a function picks the lines that count; absent = everything.
   */
  readonly counts?: 'git-config' | 'git-link' | ((text: string) => readonly string[])
  /** Also in `node_modules`, virtual environments and the like. */
  readonly inDependencies?: true
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/)

const UNPROMPTED: readonly Omit<Executable, 'runs'>[] = [
  {
    name: 'git hooks',
    paths: ['hooks/**'],
    inRepository: true,
    does: 'git runs it at the next commit, checkout, merge or push',
  },
  {
    name: 'git configuration',
    paths: ['config', 'config.worktree'],
    inRepository: true,
    counts: 'git-config',
    does: 'git runs the programs it names (fsmonitor, hooks, filters, pagers, aliases, helpers)',
  },
  {
    name: 'git attributes of a repository',
    paths: ['info/attributes'],
    inRepository: true,
    counts: attributeParts,
    does: 'git hands files to the filter or driver it names',
  },
  {
    name: 'git rebase in progress',
    paths: ['rebase-merge/git-rebase-todo', 'rebase-merge/git-rebase-todo.backup', 'sequencer/todo'],
    inRepository: true,
    counts: rebaseParts,
    does: 'git runs its `exec` lines when the rebase goes on',
  },
  {
    name: 'shared git folder',
    paths: ['commondir'],
    counts: commonFolderParts,
    does: 'git takes its configuration and hooks from the folder it names',
  },
  {
    name: 'git folder elsewhere',
    readOnly: ['.git'],
    paths: [],
    counts: 'git-link',
    inDependencies: true,
    does: 'git takes its configuration and hooks from the folder it names',
  },
  {
    name: 'git configuration to include',
    readOnly: words('.gitconfig .gitmodules'),
    paths: [],
    counts: 'git-config',
    does: 'git runs the programs it names once it is included',
  },
  {
    name: 'git attributes',
    paths: ['.gitattributes'],
    counts: attributeParts,
    does: 'git hands files to the filter or driver it names',
  },
  {
    name: 'hook managers',
    readOnly: words('.husky/** .pre-commit-config.yaml'),
    paths:
      words(`.githooks/** .git-hooks/** .lefthook/** lefthook.yml lefthook.yaml lefthook.toml lefthook.json
      .lefthook.yml .lefthook.yaml .lefthook.toml .lefthook.json lefthook-local.* .lefthook-local.*
      .pre-commit-config.yml .pre-commit-hooks.yaml prek.toml .overcommit.yml .simple-git-hooks.*
      simple-git-hooks.* captainhook.json hk.pkl .huskyrc .huskyrc.* husky.config.* .lintstagedrc
      .lintstagedrc.* lint-staged.config.*`),
    does: 'a hook manager runs it at the next commit or push',
  },
  {
    name: 'other version control',
    paths: words(
      '.hg/hgrc .hgrc .jj/repo/config.toml .jj/workspace-config.toml .jjconfig.toml .fossil-settings/**',
    ),
    does: 'the version control system runs the hooks and programs it names',
  },
  {
    name: 'folder environments',
    paths:
      words(`.envrc .envrc.* .direnv/** .autoenv .autoenv.* .autoenv_leave.* mise.toml .mise.toml mise.*.toml .mise.*.toml
      .mise/** mise/config.toml .config/mise.toml .config/mise/** .rtx.toml .miserc.toml .asdfrc .ondirrc .smartcd/** .rvmrc
      .shadowenv.d/**`),
    does: 'a shell with direnv, mise or the like runs it when it enters the folder',
  },
  {
    name: 'tool versions',
    paths:
      words(`.tool-versions .python-version .node-version .nvmrc .ruby-version .go-version .java-version .php-version
      .terraform-version`),
    counts: toolVersionParts,
    does: 'a version manager evaluates the templates in it, or takes its programs from the folder it names',
  },
  {
    name: 'Rust toolchains',
    paths: words('rust-toolchain rust-toolchain.toml'),
    counts: rustToolchainParts,
    does: 'cargo and the editor run the programs in the folder it names',
  },
  {
    name: 'vim and emacs',
    paths:
      words(`.exrc .nvimrc .nvim.lua .vimrc _vimrc .gvimrc .lvimrc .local.vimrc .vimrc.local .vim/** .nvim/**
      .dir-locals.el .dir-locals-2.el .emacs .emacs.d/** .kakrc .helix/**`),
    does: 'the editor runs it when a file of this folder is opened',
  },
  {
    name: 'editors',
    readOnly: words('.vscode/** *.code-workspace .idea/** .fleet/** .zed/**'),
    paths:
      words(`.vs/** .nova/** .theia/** .lapce/** .devcontainer/** .devcontainer.json .sublime/** *.sublime-project .gitpod.yml
      .gitpod/** .idx/** .codesandbox/** .replit .stackblitzrc devfile.yaml .devfile.yaml rust-analyzer.toml .rust-analyzer.toml
      .luarc.json .luarc.jsonc .neoconf.json .nlsp-settings/** .vimspector.json .ycm_extra_conf.py`),
    does: 'the editor runs the tasks, tools and interpreters it names when the project is opened',
  },
  {
    name: 'package managers',
    paths:
      words(`.npmrc .yarnrc .yarnrc.yml .yarnrc.yaml .yarn/releases/** .yarn/plugins/** .yarn/sdks/** .pnpmfile.cjs .pnpmfile.js
      .pnpmfile.mjs pnpmfile.js bunfig.toml .bunfig.toml .cargo/config.toml .cargo/config .mvn/** .bazelrc .bazeliskrc tools/bazel
      .buckconfig .buckconfig.local .condarc .bundle/config .gemrc .sbtopts .jvmopts .mill-opts .mill-jvm-opts`),
    does: 'the package manager or build tool runs the programs it names, whatever it is asked to do',
  },
  {
    name: 'settings of pnpm',
    paths: ['pnpm-workspace.yaml'],
    counts: pnpmParts,
    does: 'pnpm runs the programs it names, whatever it is asked to do',
  },
  {
    name: 'version of bazel',
    paths: ['.bazelversion'],
    counts: bazelVersionParts,
    does: 'bazelisk fetches and runs the build tool from the address it names',
  },
  {
    name: 'start-up of notebooks',
    paths: words('jupyter_*config.py jupyter_*config.json .octaverc .renviron .byebugrc .rdbgrc'),
    does: 'the notebook server, interpreter or debugger runs it when it is started in this folder',
  },
  {
    name: 'start-up of interpreters and debuggers',
    paths:
      words(`sitecustomize.py usercustomize.py .pythonrc .pythonrc.py .pdbrc .pdbrc.py ipython_config.py .ipython/**
      .gdbinit .lldbinit .rprofile .rprofile.site .irbrc .pryrc .ghci .ocamlinit .iex.exs .jshellrc .perldb .psqlrc .sqliterc
      .mylogin.cnf`),
    inDependencies: true,
    does: 'the interpreter or debugger runs it whenever it starts in this folder or environment',
  },
  {
    name: 'Python path files',
    paths: ['*.pth'],
    counts: pathFileParts,
    inDependencies: true,
    does: 'Python runs its `import` lines at every start',
  },
  {
    name: 'start-up of shells and tools',
    readOnly:
      words(`.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile
      .zlogin .zlogout .kshrc .cshrc .tcshrc .login .inputrc config.fish .ripgreprc`),
    paths: words(`.logout .xprofile .xsession .xinitrc .pam_environment fish/conf.d/** .config/autostart/**
      .config/systemd/** launchagents/** .ackrc .curlrc .wgetrc .screenrc .tmux.conf .ctags .ctags.d/**
      .gnuplot`),
    does: 'a shell or tool obeys it at its next start',
  },
  {
    name: 'agents',
    readOnly:
      words(`.mcp.json mcp.json .claude/** .cursor/** .codex/** .gemini/** .covey/** .agent/** .agents/**
      .aider/** .aider.* .cline/** .clinerules/** .clinerules .continue/** .goose/** .kiro/** .opencode/**
      opencode.json opencode.jsonc .qwen/** .roo/** .roorules .windsurf/** .windsurfrules .cursorrules
      covey.toml`),
    paths:
      words(`.goosehints .amp/** .augment/** .junie/** .crush/** crush.json .crush.json .factory/** .copilot/** .trae/**
      .amazonq/** .kilocode/** .kilocodemodes .roomodes .openhands/** .warp/** .tabnine/** .zencoder/** .firebender/** .devin/**
      .qoder/** .codebuddy/** .iflow/** .lingma/** .rovodev/** gptme.toml`),
    does: 'a coding agent starts the servers and hooks it names, or follows it, when the project is opened',
  },
  {
    name: 'instructions to agents',
    readOnly: words(
      `agents.md agents.override.md claude.md claude.local.md gemini.md qwen.md copilot-instructions.md`,
    ),
    paths: words(`agents.local.md agent.md crush.md warp.md .rules .augment-guidelines .github/instructions/**
      .github/prompts/** .github/agents/**`),
    does: 'every coding agent that opens the project follows it',
  },
]

const STARTED: readonly Omit<Executable, 'runs'>[] = [
  {
    name: 'package scripts',
    paths:
      words(`package.json deno.json deno.jsonc composer.json pyproject.toml setup.py setup.cfg tox.ini noxfile.py conftest.py
      turbo.json nx.json lerna.json gemfile *.gemspec mix.exs rebar.config pip.conf pip.ini`),
    does: 'its scripts run with the next install, test or build',
  },
  {
    name: 'build files',
    paths:
      words(`makefile gnumakefile *.mk justfile .justfile taskfile.yml taskfile.yaml taskfile.dist.yml rakefile dodo.py sconstruct
      wscript meson.build cmakelists.txt *.cmake build.rs build.zig build.gradle build.gradle.kts settings.gradle
      settings.gradle.kts gradlew gradlew.bat gradle/wrapper/** pom.xml mvnw mvnw.cmd build build.bazel workspace module.bazel *.bzl
      magefile.go build.xml build.sbt`),
    does: 'it runs with the next build',
  },
  {
    name: 'configuration that is code',
    paths:
      words(`gulpfile.* gruntfile.* webpack.config.* vite.config.* vitest.config.* jest.config.* rollup.config.* babel.config.*
      eslint.config.* .eslintrc.js .eslintrc.cjs prettier.config.* .prettierrc.js .prettierrc.cjs next.config.* nuxt.config.*
      svelte.config.* astro.config.* postcss.config.* tailwind.config.* playwright.config.* karma.conf.* metro.config.* .rspec`),
    does: 'the tool it configures runs it',
  },
  {
    name: 'continuous integration',
    readOnly: ['.github/workflows/**'],
    paths:
      words(`.github/actions/** .gitlab-ci.yml .gitlab-ci/** .circleci/** .travis.yml jenkinsfile .drone.yml
      .woodpecker.yml .woodpecker/** .buildkite/** azure-pipelines.yml bitbucket-pipelines.yml
      appveyor.yml .appveyor.yml .gitea/workflows/** .forgejo/workflows/** .ci/** cloudbuild.yaml`),
    does: 'the build server runs it with the next push',
  },
  {
    name: 'containers and environments',
    paths:
      words(`dockerfile dockerfile.* *.dockerfile containerfile docker-compose.yml docker-compose.yaml docker-compose.*.yml compose.yml
      compose.yaml procfile procfile.* vagrantfile tiltfile flake.nix shell.nix default.nix devenv.nix devbox.json .run/**`),
    does: 'it runs when a user starts the container or environment',
  },
]

const toExecutable =
  (runs: Executable['runs']) =>
  ({ readOnly, paths, ...entry }: Omit<Executable, 'runs'>): Executable => ({
    ...entry,
    runs,
    paths: [...(readOnly ?? []), ...paths],
    ...(readOnly && { readOnly }),
  })

export const EXECUTABLES: readonly Executable[] = [
  ...UNPROMPTED.map(toExecutable('unprompted')),
  ...STARTED.map(toExecutable('started')),
]
