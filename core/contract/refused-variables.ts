/** Names of variables, each alone; separated by blanks. */
const families: Readonly<Record<string, string>> = {
	"where programs, their files and their temporary files are looked for": "PATH PATHEXT HOME SHELL COMSPEC TMPDIR TMP TEMP TMPPREFIX",
	"the dynamic loader and the C library":
		"LIBPATH SHLIB_PATH GCONV_PATH GETCONF_DIR GLIBC_TUNABLES HOSTALIASES LOCALDOMAIN LOCPATH NIS_PATH NLSPATH PATH_LOCALE RES_OPTIONS RESOLV_HOST_CONF TZDIR",
	shells:
		"ENV IFS CDPATH FPATH PS0 PS1 PS2 PS3 PS4 SHELLOPTS BASHOPTS PROMPT_COMMAND GLOBIGNORE EXECIGNORE INPUTRC HISTFILE MAILPATH FCEDIT ZDOTDIR NULLCMD READNULLCMD SHINIT PSMODULEPATH CONFIG_SHELL CONFIG_SITE MAKESHELL",
	Node: "TS_NODE_PROJECT TSX_TSCONFIG_PATH ELECTRON_RUN_AS_NODE",
	Java: "_JAVA_OPTIONS JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS JAVA_OPTIONS JAVA_ARGS JAVA_HOME JAVACMD JRE_HOME JDK_HOME CLASSPATH",
	Go: "GOROOT GOPATH GOBIN GOENV GOFLAGS GOPROXY GOPRIVATE GONOSUMDB GONOSUMCHECK GOINSECURE GOSUMDB GOTOOLDIR GOTOOLCHAIN GOCACHE",
	"other languages":
		"PHPRC PLTHOME PLTCOLLECTS SBCL_HOME TCLLIBPATH TCL_LIBRARY TK_LIBRARY AWKPATH AWKLIBPATH M4PATH FACTERLIB CAML_LD_LIBRARY_PATH OCAMLRUNPARAM OCAMLLIB RUSTFLAGS",
	"compilers and make":
		"CC CXX CPP LD AS AR NM FC CFLAGS CXXFLAGS CPPFLAGS LDFLAGS CPATH LIBRARY_PATH COMPILER_PATH MAKEFLAGS MAKEFILES MFLAGS GNUMAKEFLAGS ACLOCAL_PATH",
	"editors, pagers and what opens things":
		"EDITOR VISUAL PAGER MANPAGER MANPATH MANOPT BROWSER LESS LESSOPEN LESSCLOSE LESSKEY LESSKEYIN LESSKEY_SYSTEM LESSHISTFILE VIM VIMINIT VIMRUNTIME GVIMINIT EXINIT MYVIMRC HGEDITOR HGMERGE HGRCPATH CVSEDITOR MAILCAPS MAILRC SCREENRC",
	"programs that others start, and options they read":
		"SSH_ASKPASS SSH_ASKPASS_REQUIRE SSH_AUTH_SOCK SSH_SK_HELPER SSH_SK_PROVIDER SSH_PKCS11_HELPER TAR_OPTIONS GREP_OPTIONS ZIPOPT UNZIP GZIP BZIP XZ_DEFAULTS XZ_OPT",
	"certificates that are trusted":
		"SSL_CERT_FILE SSL_CERT_DIR SSLKEYLOGFILE REQUESTS_CA_BUNDLE CURL_CA_BUNDLE HTTPLIB2_CA_CERTS AWS_CA_BUNDLE",
	"configuration files that can name programs":
		"AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE KUBECONFIG DOCKER_CONFIG CURL_HOME WGETRC SYSTEM_WGETRC NETRC PSQLRC PGSERVICEFILE PGSYSCONFDIR PGPASSFILE MYSQL_HOME ODBCINI ODBCSYSINI FREETDSCONF LDAPCONF LDAPRC GNUPGHOME BOTO_CONFIG TF_CLI_CONFIG_FILE",
	terminals: "TERMINFO TERMINFO_DIRS TERMCAP TERMPATH",
	"libraries with plug-ins": "GI_TYPELIB_PATH LADSPA_PATH LIBVA_DRIVERS_PATH",
};

/** How names of variables begin; separated by blanks. */
const prefixes: Readonly<Record<string, string>> = {
	"the run's own variables, which say who it is": "SVC_ ST2_",
	"the dynamic loader and the C library": "LD_ _RLD LDR_ DYLD_ MALLOC_",
	"shells; bash takes functions from BASH_FUNC_": "BASH_ FISH_ KSH_ ZSH_",
	Python: "PYTHON PIP_ PIPENV_ POETRY_ PYENV_ CONDA_ UV_ VIRTUALENV_",
	Perl: "PERL",
	Ruby: "RUBY GEM_ BUNDLE_ BUNDLER_ RBENV_",
	Node: "NODE_ NPM_ YARN_ PNPM_ COREPACK_ NVM_ DENO_ BUN_",
	Java: "MAVEN_ GRADLE_ ANT_ SBT_ GROOVY_ CATALINA_",
	".NET": "DOTNET_ COMPLUS_ CORECLR_ COR_ MONO_ MSBUILD",
	"other languages":
		"PHP_ COMPOSER_ LUA_ LUAJIT_ R_ JULIA_ ERL_ ELIXIR_ MIX_ GUILE_ RACKET_ CARGO_ RUSTC RUSTUP_ GCC_ COLLECT_ CMAKE_ PKG_CONFIG CCACHE_ DISTCC_",
	"version control and copying": "GIT_ SVN_ CVS_ BZR_ RSYNC_",
	"tools that start programs or load plug-ins":
		"SUDO_ SYSTEMD_ ANSIBLE_ SALT_ HELM_ TF_CLI_ TF_PLUGIN_ CLOUDSDK_ PSQL_ GPG_ WINE PROOT_ FAKEROOT",
	"libraries with plug-ins or configuration of their own":
		"XDG_ OPENSSL_ KRB5_ SASL_ DBUS_ GTK_ GDK_ GIO_ GST_ GSETTINGS_ QT_ KDE ALSA_ PULSE_ MESA_ LIBGL_ VK_ FONTCONFIG_ MAGICK_ GS_ TEXMF TEXINPUTS QEMU_ VALGRIND_ LLVM_ GCOV_",
};

/** How names end that many programs make for themselves, such as `JAVA_OPTS` and `AWS_PAGER`. */
const suffixes = "_EDITOR _PAGER _BROWSER _ASKPASS _OPTS _PRELOAD _RSH _SSH SAN_OPTIONS".split(" ");

/** Names that only look dangerous, and are often needed. */
const harmless: ReadonlySet<string> = new Set(["NODE_ENV", "NODE_NAME", "NODE_ID"]);

const names: ReadonlySet<string> = new Set(Object.values(families).flatMap((list) => list.split(" ")));
const starts = Object.values(prefixes).flatMap((list) => list.split(" "));

/**
 * Whether a variable of the environment is one that nobody may set who may only start an action: it makes a loader, a shell, an
 * interpreter or a tool run other code, trust somebody else, or take the run for another one. The case of letters does not count,
 * as some programs read names in any case. Names that a shell cannot set are refused too: bash takes functions from such names.
 *
 * The lists hold what is known of common programs. An action whose script starts uncommon ones says itself which variables a caller
 * may set: `env: {properties: {…}, additionalProperties: false}`.
 */
export function isRefusedVariable(name: string): boolean {
	if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return true;
	const upper = name.toUpperCase();
	if (harmless.has(upper)) return false;
	return names.has(upper) || starts.some((start) => upper.startsWith(start)) || suffixes.some((end) => upper.endsWith(end));
}
