/** Names of environment variables that are refused, by topic; separated by spaces. */
const namesByTopic: Readonly<Record<string, string>> = {
	"search paths of programs, of their files and of temporary files": "PATH PATHEXT HOME SHELL COMSPEC TMPDIR TMP TEMP TMPPREFIX",
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
	"editors, pagers and browsers":
		"EDITOR VISUAL PAGER MANPAGER MANPATH MANOPT BROWSER LESS LESSOPEN LESSCLOSE LESSKEY LESSKEYIN LESSKEY_SYSTEM LESSHISTFILE VIM VIMINIT VIMRUNTIME GVIMINIT EXINIT MYVIMRC HGEDITOR HGMERGE HGRCPATH CVSEDITOR MAILCAPS MAILRC SCREENRC",
	"programs that other programs start, and the options of these":
		"SSH_ASKPASS SSH_ASKPASS_REQUIRE SSH_AUTH_SOCK SSH_SK_HELPER SSH_SK_PROVIDER SSH_PKCS11_HELPER TAR_OPTIONS GREP_OPTIONS ZIPOPT UNZIP GZIP BZIP XZ_DEFAULTS XZ_OPT",
	"certificates that are trusted":
		"SSL_CERT_FILE SSL_CERT_DIR SSLKEYLOGFILE REQUESTS_CA_BUNDLE CURL_CA_BUNDLE HTTPLIB2_CA_CERTS AWS_CA_BUNDLE",
	"configuration files that can name programs":
		"AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE KUBECONFIG DOCKER_CONFIG CURL_HOME WGETRC SYSTEM_WGETRC NETRC PSQLRC PGSERVICEFILE PGSYSCONFDIR PGPASSFILE MYSQL_HOME ODBCINI ODBCSYSINI FREETDSCONF LDAPCONF LDAPRC GNUPGHOME BOTO_CONFIG TF_CLI_CONFIG_FILE",
	terminals: "TERMINFO TERMINFO_DIRS TERMCAP TERMPATH",
	"libraries with plug-ins": "GI_TYPELIB_PATH LADSPA_PATH LIBVA_DRIVERS_PATH",
};

/** Beginnings of the names of refused variables by topic, separated by spaces. */
const prefixes: Readonly<Record<string, string>> = {
	"variables of the run itself, which identify it": "SVC_ ST2_",
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
	"libraries with plug-ins or their own configuration":
		"XDG_ OPENSSL_ KRB5_ SASL_ DBUS_ GTK_ GDK_ GIO_ GST_ GSETTINGS_ QT_ KDE ALSA_ PULSE_ MESA_ LIBGL_ VK_ FONTCONFIG_ MAGICK_ GS_ TEXMF TEXINPUTS QEMU_ VALGRIND_ LLVM_ GCOV_",
};

/** Endings of names that many programs derive from their own names, such as `JAVA_OPTS` and `AWS_PAGER`. */
const suffixes = "_EDITOR _PAGER _BROWSER _ASKPASS _OPTS _PRELOAD _RSH _SSH SAN_OPTIONS".split(" ");

/** Names that resemble refused ones, but are harmless and often needed. */
const harmless: ReadonlySet<string> = new Set(["NODE_ENV", "NODE_NAME", "NODE_ID"]);

const names: ReadonlySet<string> = new Set(Object.values(namesByTopic).flatMap((list) => list.split(" ")));
const starts = Object.values(prefixes).flatMap((list) => list.split(" "));

/**
 * Returns true if a user who may only start an action must not set this environment variable. Such a variable makes a loader, a shell, an
 * interpreter or a tool run other code or trust another party. Or it makes a run appear to be another run. Upper and lower case are treated
 * alike, because some programs accept both. Names that a shell cannot set are also refused, because bash imports functions from such names.
 *
 * The lists cover common programs. An action whose script starts other programs must itself declare the variables that a caller may set:
 * `env: {properties: {…}, additionalProperties: false}`.
 */
export function isRefusedVariable(name: string): boolean {
	if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return true;
	const upper = name.toUpperCase();
	if (harmless.has(upper)) return false;
	return names.has(upper) || starts.some((start) => upper.startsWith(start)) || suffixes.some((end) => upper.endsWith(end));
}
