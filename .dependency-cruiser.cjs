// The dependency rules of the project. `scripts/check-boundaries.ts` runs them and proves that each of them bites.

const tests = "(\\.test|\\.test-support)\\.ts$";

/** Files that load an engine, or a part of one. */
const enginePaths = ["^core/kernel/", "^core/language/", "^core/secrets/", "^core/http/"];
/** Files that let in or speak to others. */
const interfacePaths = ["^core/http/", "^core/client/", "^core/cli/"];
/** What a feature shows: its face, its routes, its part of the client, its commands, what its files may say and how they are read. The lists of `core/features` take them. */
const faceFiles = ["^core/features/[^/]+/index\\.ts$"];
const routeFiles = ["^core/features/[^/]+/routes\\.ts$", "^core/features/[^/]+/[a-z-]+-routes\\.ts$"];
const clientFiles = ["^core/features/[^/]+/client\\.ts$", "^core/features/[^/]+/[a-z-]+-client\\.ts$"];
const commandFiles = ["^core/features/[^/]+/commands\\.ts$", "^core/features/[^/]+/[a-z-]+-commands\\.ts$"];
const fileSchemaFiles = ["^core/features/[^/]+/file-schemas\\.ts$"];
const fileReaderFiles = ["^core/features/[^/]+/file-readers\\.ts$"];
/** What others may use of a feature: types, constants, small functions. */
const apiFiles = ["^core/features/[^/]+/api\\.ts$", "^core/features/[^/]+/[a-z-]+-exports\\.ts$"];
const clientApiFiles = ["^core/features/[^/]+/client-exports\\.ts$"];
/** What a feature outside core may use of it: the entries of the package, as a stranger's feature does. */
const entryFiles = [
	"^core/feature\\.ts$",
	"^core/cli\\.ts$",
	"^core/contract/index\\.ts$",
	"^core/features/clients\\.ts$",
	"^core/testing/index\\.ts$",
];
const pluginFeatures = "^plugins/feature-[^/]+/";
/** The command, the client and the lists of all features of the package: they name every feature that the package has. */
const shippedFiles = "^plugins/_shipped/";
/** What features there are. */
const listFiles = ["^core/features/[a-z]+\\.ts$"];

/**
 * The order of the features of core: a feature may use those of the lines above it. Features of one line do not use each other. A feature
 * that is not named may use all of them, and none of them may use it.
 */
const order = [
	["access"],
	["datastore"],
	["packs"],
	["triggers", "actions"],
	["executions"],
	["policies", "webhooks", "timers", "sensors", "rules", "inquiries", "traces", "nodes", "telemetry", "workflows"],
	["retention"],
];

/** A line of the order uses itself and what is above it. */
const standing = (features, index) => ({
	name: `order-of-features-${index + 1}`,
	severity: "error",
	comment: `${features.join(", ")}: what is used of other features stands above in the order of .dependency-cruiser.cjs`,
	from: { path: `^core/features/(${features.join("|")})/`, pathNot: tests },
	to: {
		path: "^core/features/",
		pathNot: [
			"^core/features/$1/",
			...order
				.slice(0, index)
				.flat()
				.map((name) => `^core/features/${name}/`),
		],
	},
});

/** The folders of the kernel, lowest first: a folder imports only itself and those before it. The files beside the folders import any. */
const kernelOrder = [
	"basics",
	"coordination",
	"executions",
	"expiry",
	"output",
	"telemetry",
	"plugins",
	"submission",
	"events",
	"runs",
	"scheduling",
	"nodes",
];

const inKernelOrder = (folder, index) => ({
	name: `order-of-kernel-${index + 1}`,
	severity: "error",
	comment: `core/kernel/${folder} imports only itself and: ${kernelOrder.slice(0, index).join(", ") || "nothing else of the kernel"}`,
	from: { path: `^core/kernel/${folder}/`, pathNot: tests },
	to: { path: "^core/kernel/", pathNot: `^core/kernel/(${kernelOrder.slice(0, index + 1).join("|")})/` },
});

/** An npm package that only one place may import. */
const home = (name, packages, places) => ({
	name: `home-of-${name}`,
	severity: "error",
	comment: `${name} is imported in one place only: ${places}`,
	from: { path: "^(core|plugins|plugins-auth|plugins-runner)/", pathNot: [places, tests].flat() },
	to: { path: `^(node_modules/)?(${packages})(/|$)` },
});

module.exports = {
	forbidden: [
		{ name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
		{
			name: "contract-stands-alone",
			severity: "error",
			comment: "core/contract imports nothing outside itself",
			from: { path: "^core/contract/", pathNot: tests },
			to: { pathNot: "^core/contract/" },
		},
		{
			name: "lib-knows-contract-only",
			severity: "error",
			comment: "core/lib holds mechanisms that would serve any program: they know no word of the service",
			from: { path: "^core/lib/", pathNot: tests },
			to: { path: "^core/", pathNot: "^core/(lib|contract)/" },
		},
		{
			name: "language-knows-lib-and-contract",
			severity: "error",
			comment: "core/language consists of functions of their arguments: no storage, no clock",
			from: { path: "^core/language/", pathNot: tests },
			to: { path: "^core/", pathNot: "^core/(language|lib|contract)/" },
		},
		{
			name: "secrets-know-language-and-lib",
			severity: "error",
			comment: "core/secrets finds, masks and encrypts values: it knows no execution and no storage",
			from: { path: "^core/secrets/", pathNot: tests },
			to: { path: "^core/", pathNot: "^core/(secrets|language|lib|contract)/" },
		},
		{
			name: "kernel-knows-what-is-below",
			severity: "error",
			comment: "core/kernel names no feature, and neither the server nor the client: it runs alone",
			from: { path: "^core/kernel/", pathNot: tests },
			to: { path: "^core/", pathNot: "^core/(kernel|secrets|language|lib|contract)/" },
		},
		...kernelOrder.map(inKernelOrder),
		{
			name: "features-know-kernel-and-kits",
			severity: "error",
			comment: "a feature stands on the kernel and on the kits; the service is put together of features",
			from: { path: "^core/features/", pathNot: tests },
			to: { path: "^core/(service|testing)/|^core/(main|index)\\.ts$" },
		},
		{
			name: "http-knows-kernel-and-contract",
			severity: "error",
			comment: "core/http is the machinery: the routes of the features stand on it",
			from: { path: "^core/http/", pathNot: tests },
			to: { path: "^core/", pathNot: "^core/(http|kernel|secrets|language|lib|contract)/" },
		},
		{
			name: "kernel-loads-no-interface",
			severity: "error",
			comment: "what runs actions is there without HTTP, client and command",
			from: { path: "^core/kernel/", pathNot: tests },
			to: { path: interfacePaths, reachable: true },
		},
		{
			name: "routes-know-the-http-kit",
			severity: "error",
			comment: "routes stand on core/http; client and command speak to them over the wire",
			from: { path: routeFiles, pathNot: tests },
			to: { path: ["^core/client/", "^core/cli/"], reachable: true },
		},
		{
			name: "features-know-what-others-show",
			severity: "error",
			comment: "a feature uses api.ts and x-exports.ts of another one, never its inside: what it does comes as an argument, from the list",
			from: { path: "^core/features/([^/]+)/", pathNot: tests },
			to: { path: "^core/features/", pathNot: ["^core/features/$1/", ...apiFiles] },
		},
		{
			name: "lists-take-the-faces",
			severity: "error",
			comment: "the lists of core/features hold what .dependency-cruiser.cjs calls so above, and know nothing else of a feature",
			from: { path: listFiles, pathNot: tests },
			to: {
				path: "^core/features/[^/]+/",
				pathNot: [...faceFiles, ...routeFiles, ...clientFiles, ...commandFiles, ...fileSchemaFiles, ...fileReaderFiles],
			},
		},
		{
			name: "others-take-the-lists",
			severity: "error",
			comment: "the service is composed of the lists of features; types and constants of a feature come from its api files",
			from: { path: "^core/", pathNot: ["^core/features/", "^core/testing/", tests] },
			to: { path: "^core/features/[^/]+/", pathNot: apiFiles },
		},
		...order.map(standing),
		{
			name: "client-knows-contract-only",
			severity: "error",
			comment: "core/client is the kit of the client: the parts of the features stand on it",
			from: { path: "^core/client/", pathNot: tests },
			to: { path: "^core/", pathNot: ["^core/client/", "^core/contract/"] },
		},
		{
			name: "cli-knows-client-and-contract",
			severity: "error",
			comment: "core/cli is the kit of the command: the commands of the features stand on it",
			from: { path: "^core/cli/", pathNot: tests },
			to: { path: "^core/", pathNot: ["^core/cli/", "^core/client/", "^core/contract/"] },
		},
		{
			name: "client-parts-know-the-client-kit",
			severity: "error",
			comment: "a feature's part of the client stands on core/client, and takes records of others from what their parts show",
			from: { path: [...clientFiles, ...clientApiFiles] },
			to: { path: "^core/", pathNot: ["^core/client/", "^core/contract/", ...clientFiles, ...clientApiFiles] },
		},
		{
			name: "client-loads-no-engine",
			severity: "error",
			comment: "the client may run where no engine is",
			from: { path: ["^core/features/clients\\.ts$", "^plugins/_shipped/client\\.ts$"] },
			to: { path: enginePaths, reachable: true },
		},
		{
			name: "commands-know-the-cli-kit",
			severity: "error",
			comment: "a feature's commands stand on core/cli, on its part of the client and on what the parts of others show",
			from: { path: ["^core/features/([^/]+)/commands\\.ts$", "^core/features/([^/]+)/[a-z-]+-commands\\.ts$"] },
			to: {
				path: "^core/",
				pathNot: ["^core/cli/", "^core/client/", "^core/contract/", "^core/features/$1/", ...clientApiFiles],
			},
		},
		{
			name: "command-loads-no-engine",
			severity: "error",
			comment: "the command starts at once: what it is made of loads no engine",
			from: {
				path: [
					"^core/features/commands\\.ts$",
					"^core/service/run-svc\\.ts$",
					"^plugins/_shipped/run-svc\\.ts$",
					`${pluginFeatures}commands\\.ts$`,
					`${pluginFeatures}[a-z-]+-commands\\.ts$`,
				],
			},
			to: { path: enginePaths, reachable: true },
		},
		{
			name: "only-browsers-load-web",
			severity: "error",
			comment: "only browsers run plugins/feature-web-ui/web: the build bundles it, and the feature serves the bundle",
			from: { pathNot: "^plugins/feature-web-ui/web/" },
			to: { path: "^plugins/feature-web-ui/web/" },
		},
		{
			name: "core-imports-no-plugin",
			severity: "error",
			comment: "plugins come in through the configuration",
			from: { path: "^core/", pathNot: ["^core/testing/", tests] },
			to: { path: "^plugins" },
		},
		{
			name: "core-imports-no-testing",
			severity: "error",
			comment: "the kits are for tests; the command loads them when it is asked to run one",
			from: { path: "^(core|plugins[^/]*)/", pathNot: ["^core/testing/", "^plugins/_shipped/main\\.ts$", tests] },
			to: { path: "^core/testing/" },
		},
		{
			name: "plugins-know-contract-only",
			severity: "error",
			comment: "a plugin imports core/contract, never another part of core",
			from: { path: "^plugins[^/]*/", pathNot: [pluginFeatures, shippedFiles, tests] },
			to: { path: "^core/", pathNot: "^core/contract/" },
		},
		{
			name: "features-outside-core-know-the-entries",
			severity: "error",
			comment: "a feature of plugins/ imports what a stranger's feature can import: the entries of the package",
			from: { path: pluginFeatures, pathNot: tests },
			to: { path: "^core/", pathNot: entryFiles },
		},
		{
			name: "plugins-do-not-know-each-other",
			severity: "error",
			comment: "a plugin imports its own folder and the folders of its group that begin with an underscore",
			from: { path: "^(plugins[^/]*)/([^/]+)/", pathNot: [shippedFiles, tests] },
			to: { path: "^plugins[^/]*/", pathNot: ["^$1/$2/", "^$1/_[^/]+/"] },
		},
		{
			name: "only-the-package-imports-its-lists",
			severity: "error",
			comment: "plugins/_shipped names every feature: what it is made of does not know it, but for the page, which needs the whole client",
			from: { pathNot: [shippedFiles, "^core/testing/", tests] },
			to: { path: shippedFiles, pathNot: "^plugins/_shipped/client\\.ts$" },
		},
		home("tsyringe", "tsyringe|reflect-metadata", "^core/service/service-components\\.ts$"),
		home("h3", "h3", "^core/http/"),
		home("listhen", "listhen", "^core/http/server\\.ts$"),
		home("consola", "consola", "^core/(service/(logger|serve)|cli/prompts)\\.ts$"),
		home("string-width", "string-width|wrap-ansi", "^core/cli/"),
		home("eventsource-parser", "eventsource-parser", "^core/client/"),
		home("commander", "commander", [
			"^core/cli/",
			"^core/features/.+commands\\.ts$",
			"^plugins/(_shipped|feature-[^/]+)/[a-z-]*commands\\.ts$",
		]),
		home("knex", "knex", "^plugins/storage-knex/"),
		home("libsql", "libsql", "^plugins/storage-knex/"),
		home("postgres", "postgres", "^plugins/(storage-knex|event-bus-postgres)/"),
		home("nats", "@nats-io/[^/]+", "^plugins/event-bus-nats/"),
		home("node-pty", "node-pty", "^plugins-runner/_process/"),
		home("koffi", "koffi", "^(plugins-runner/_process/|plugins-auth/(flat-file|pam)/|core/service/systemd-notifier)"),
		home("ldapts", "ldapts", "^plugins-auth/ldap/"),
		home("openid-client", "openid-client", "^plugins-auth/openid-connect/"),
		home("ignore", "ignore", "^plugins/feature-pack-installer/sources/"),
		home("jose", "jose", "^plugins-auth/openid-connect/"),
		home("oidc-provider", "oidc-provider", "^core/testing/auth/"),
		home("unix-crypt-td-js", "unix-crypt-td-js", "^plugins-auth/flat-file/"),
		home("croner", "croner", "^core/features/timers/"),
		home("semver", "semver", "^core/language/version-range\\.ts$"),
		home("tar", "tar", "^plugins/feature-pack-installer/sources/"),
		home("yauzl", "yauzl", "^plugins/feature-pack-installer/sources/"),
		home("undici", "undici", "^plugins-runner/http-request/"),
		home("ssh2", "ssh2", "^plugins-runner/_ssh/"),
		home("pyodide", "pyodide", "^plugins-runner/python-script/pyodide/"),
		home("preact", "preact|@preact/signals|anser|uplot|@dagrejs/dagre", "^plugins/feature-web-ui/web/"),
		home("playwright-core", "playwright-core|axe-core", "^core/testing/web/"),
		home("uvu", "uvu", tests),
	],
	options: {
		parser: "swc",
		// Imports of types count too: they tie the parts together just as well.
		tsPreCompilationDeps: true,
		doNotFollow: { path: "node_modules" },
		// Its parser knows no markup: what these files import is checked by scripts/check-web.ts.
		exclude: { path: "^plugins/feature-web-ui/web/.*\\.tsx$" },
		enhancedResolveOptions: {
			exportsFields: ["exports"],
			conditionNames: ["import", "types", "default"],
			extensions: [".ts", ".js", ".mjs", ".cjs"],
		},
	},
};
