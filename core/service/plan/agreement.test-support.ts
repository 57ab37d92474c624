import type { PlanPlace } from "../../testing/plan/plan.test-support.ts";

/** A configuration, and what becomes of a start with it. */
export interface Agreement {
	/** Members of the configuration; TAKEN is a port that another program listens on, HERE the directory of the file. */
	readonly config: string;
	readonly is: "starts" | "refused";
	readonly env?: Readonly<Record<string, string>>;
	readonly prepare?: (place: PlanPlace) => Promise<void>;
	/** In what plan and start say is wrong. */
	readonly says?: RegExp;
}

const quiet = "stream: { port: 0 }, log: { level: 'error' }";
const ports = `api: { port: 0 }, ${quiet}`;
const open = "auth: { enable: false, port: 0 }";
const plugins = "storage: memoryStorage(), event_bus: memoryBus(), runners: [noop()]";
/** What is right, with sign-in, for others to be laid over. */
const signedIn = (backend: string) => `${plugins}, ${ports}, auth: { port: 0, ${backend} }`;
const withRunner = (runner: string) => `storage: memoryStorage(), event_bus: memoryBus(), runners: [${runner}], ${open}, ${ports}`;
const withSensor = (sensor: string) => `${plugins}, ${open}, ${ports}, sensors: [${sensor}]`;
const withBus = (bus: string) => `storage: memoryStorage(), event_bus: ${bus}, runners: [noop()], ${open}, ${ports}`;
const withStorage = (storage: string) => `storage: ${storage}, event_bus: memoryBus(), runners: [noop()], ${open}, ${ports}`;
const withMore = (more: string) => `${plugins}, ${open}, ${ports}, ${more}`;
const withRoute = (feature: string, path: string) =>
	`{ kind: "feature", name: "${feature}", create: () => ({ api: {}, routes: [{ method: "GET", path: "${path}", component: "api" }] }) }`;
const withRoles = (rbac: string) => `${signedIn("backend: flatFile()")}, rbac: { enable: true, ${rbac} }`;
const directory = `host: "127.0.0.1", port: 1, bind_dn: "cn=svc,dc=example", base_ou: "dc=example", group_dns: ["cn=users,dc=example"]`;
const knownUser = ({ write }: PlanPlace) => write("htpasswd", "ann:{SHA}nU4eI71bcnBGqeO0t9tXvY1u5oQ=\n");

export const agreements: Readonly<Record<string, Agreement>> = {
	"memory, open to everybody": { config: `${plugins}, ${open}, ${ports}`, is: "starts" },
	"a file for the database, and one for passwords": {
		config: signedIn("backend: flatFile()").replace("memoryStorage()", 'knexStorage({ client: "sqlite" })'),
		is: "starts",
	},
	"a password file with a user": { config: signedIn('backend: flatFile({ file: "HERE/htpasswd" })'), is: "starts", prepare: knownUser },
	"a password file that is a directory": {
		config: signedIn('backend: flatFile({ file: "HERE/packs" })'),
		is: "refused",
		says: /auth\.backend: file: .*packs" is not a regular file/,
	},
	"an option of the password file that there is none": {
		config: signedIn('backend: flatFile({ path: "HERE/htpasswd" })'),
		is: "refused",
		says: /auth\.backend: path: unknown option/,
	},
	"sign-in without a backend": { config: `${plugins}, ${ports}, auth: { port: 0 }`, is: "refused", says: /auth\.backend: required/ },
	"LDAP, whose server is away": { config: signedIn(`backend: ldap({ ${directory}, bind_password: "secret" })`), is: "starts" },
	"LDAP without its password": {
		config: signedIn(`backend: ldap({ ${directory} })`),
		is: "refused",
		says: /auth\.backend: bind_password: required/,
	},
	"LDAP with two kinds of encryption": {
		config: signedIn(`backend: ldap({ ${directory}, bind_password: "secret", use_ssl: true, use_tls: true })`),
		is: "refused",
		says: /auth\.backend: use_ssl: only one/,
	},
	"LDAP that nobody asks, as authentication is off": {
		config: `${plugins}, ${ports}, auth: { enable: false, port: 0, backend: ldap({ ${directory} }) }`,
		is: "refused",
		says: /bind_password/,
	},
	"LDAP by its name": {
		config: `${signedIn(`backend: "ldap", backend_kwargs: { ${directory}, bind_password: "secret" }`)}, auth_backends: { ldap }`,
		is: "starts",
	},
	"LDAP by its name, with arguments of another": {
		config: `${signedIn(`backend: "ldap", backend_kwargs: { ${directory}, bind_password: "secret", file: "x" }`)}, auth_backends: { ldap }`,
		is: "refused",
		says: /auth\.backend: file: unknown option/,
	},
	"a backend that there is none of the name": {
		config: `${signedIn(`backend: "ldpa"`)}, auth_backends: { ldap }`,
		is: "refused",
		says: /auth\.backend: unknown backend "ldpa"; did you mean "ldap"/,
	},
	"arguments of a backend that are no JSON": {
		config: `${signedIn(`backend: "ldap"`)}, auth_backends: { ldap }`,
		env: { SVC_AUTH_BACKEND_KWARGS: "{" },
		is: "refused",
		says: /auth\.backend_kwargs: must be a JSON object/,
	},
	"PAM with a service that is a path": { config: signedIn('backend: pam({ service: "../login" })'), is: "refused", says: /service/ },
	"proxy mode without a proxy": {
		config: signedIn('backend: flatFile(), mode: "proxy"'),
		is: "refused",
		says: /auth\.trusted_proxies: required/,
	},
	"proxy mode": { config: signedIn('backend: flatFile(), mode: "proxy", trusted_proxies: ["10.0.0.5"]'), is: "starts" },
	"a section that there is not": { config: withMore("metrics: {}"), is: "refused", says: /metrics: unknown section/ },
	"an option that there is not": {
		config: `${plugins}, ${open}, ${quiet}, api: { prot: 1 }`,
		is: "refused",
		says: /api\.prot: unknown option/,
	},
	"an option that is no number": {
		config: `${plugins}, ${open}, ${quiet}, api: { port: "1" }`,
		is: "refused",
		says: /api\.port: expected an integer/,
	},
	"a variable that is no number": {
		config: `${plugins}, ${open}, ${ports}`,
		env: { SVC_API_PORT: "many" },
		is: "refused",
		says: /SVC_API_PORT/,
	},
	"a variable of an option that there is not": { config: `${plugins}, ${open}, ${ports}`, env: { SVC_API_PRT: "1" }, is: "starts" },
	"a level of the log that there is not": {
		config: `${plugins}, ${open}, api: { port: 0 }, stream: { port: 0 }, log: { level: "loud" }`,
		is: "refused",
		says: /log\.level: unknown value "loud"/,
	},
	"a plugin that was not called": { config: withBus("memoryBus"), is: "refused", says: /event_bus: expected an event bus plugin/ },
	"the same runner twice": { config: withRunner("noop(), noop()"), is: "refused", says: /runners\[1\]: runner "noop" is already at/ },
	"a runner for another contract": { config: withRunner("{ ...noop(), contract: 2 }"), is: "refused", says: /contract version 2/ },
	"a runner that runs nothing": {
		config: withRunner('{ kind: "runner", name: "x", create: () => ({}) }'),
		is: "refused",
		says: /runners\[0\]: runner "x" has no method run/,
	},
	"a runner that cannot be made": {
		config: withRunner('{ kind: "runner", name: "x", create: () => { throw new Error("no wish to"); } }'),
		is: "refused",
		says: /runners\[0\]: runner "x" cannot be created: no wish to/,
	},
	"runs that outlive the service": { config: withRunner("localCommand({ survive_restart: true })"), is: "starts" },
	"runs that perhaps outlive the service": {
		config: withRunner('localCommand({ survive_restart: "perhaps" })'),
		is: "refused",
		says: /runners\[0\]: survive_restart .* must be true or false/,
	},
	"authorities from a file that is not there": {
		config: withRunner('httpRequest({ ca_file: "HERE/ca.pem" })'),
		is: "refused",
		says: /runners\[0\]: .*ca\.pem" cannot be read/,
	},
	"Python with an engine that there is not": {
		config: withRunner('pythonScript({ engine: "jython" })'),
		is: "refused",
		says: /runners\[0\]: option "engine"/,
	},
	"a Python that is not there": {
		config: withRunner('pythonScript({ engine: "cpython", python_binary: "HERE/python3" })'),
		is: "refused",
		says: /runners\[0\]: the Python interpreter ".*" cannot be started/,
	},
	"whichever Python there is": { config: withRunner('pythonScript({ python_binary: "HERE/python3" })'), is: "starts" },
	"a runner that this node does not start": {
		config: `${withBus("memoryBus()")}, node: { only: ["api"] }`.replace("noop()", 'httpRequest({ ca_file: "HERE/ca.pem" })'),
		is: "refused",
		says: /node\.only: other nodes must run/,
	},
	"files to watch by relative paths": {
		config: withSensor('fileWatch({ paths: ["log"] })'),
		is: "refused",
		says: /sensors\[0\]: .*must be an absolute path/,
	},
	"an address that is asked too often": {
		config: withSensor('httpPoll({ url: "http://127.0.0.1:1/", interval: 1 })'),
		is: "refused",
		says: /sensors\[0\]: .*interval: must be/,
	},
	"an address that is asked": { config: withSensor('httpPoll({ url: "http://127.0.0.1:1/", interval: 60 })'), is: "starts" },
	"two sensors of one name": {
		config: withSensor('httpPoll({ url: "http://127.0.0.1:1/" }), httpPoll({ url: "http://127.0.0.1:2/" })'),
		is: "refused",
		says: /sensors\[1\]: sensor "http-poll" is already at/,
	},
	"NATS with a credential that is not there": {
		config: withBus('natsBus({ servers: ["127.0.0.1:1"], creds: "HERE/svc.creds" })'),
		is: "refused",
		says: /event_bus\.creds: file .*svc\.creds" cannot be read/,
	},
	"an event bus without its address": { config: withBus("postgresBus({})"), is: "refused", says: /event_bus\.url is required/ },
	"a database file where there cannot be one": {
		config: withStorage('knexStorage({ client: "sqlite", file: "HERE/svc1.config.mjs/svc.db" })'),
		is: "refused",
		says: /storage\.file: .*is not a directory/,
	},
	"a database file that holds something else": {
		config: withStorage('knexStorage({ client: "sqlite", file: "HERE/packs/hello/pack.yaml" })'),
		is: "refused",
		says: /storage: database .*pack\.yaml" is not an SQLite database and was not changed|^database .*pack\.yaml" is not an SQLite/,
	},
	"a word about the disk that there is not": {
		config: withStorage('knexStorage({ client: "sqlite", synchronous: "SOMETIMES" })'),
		is: "refused",
		says: /storage\.synchronous/,
	},
	"a data directory that is a file": { config: withMore('data_dir: "svc1.config.mjs"'), is: "refused", says: /data_dir: / },
	"a key file where there cannot be one": {
		config: withMore('keyvalue: { encryption_key_path: "HERE/svc1.config.mjs/key.json" }'),
		is: "starts",
	},
	"a key file that holds something else": {
		config: withMore('keyvalue: { encryption_key_path: "HERE/key.json" }'),
		prepare: ({ write }) => write("key.json", "{}"),
		is: "starts",
	},
	"a port that is taken": { config: `${plugins}, ${open}, ${quiet}, api: { port: TAKEN }`, is: "refused", says: /port/ },
	"an address of another machine": {
		config: `${plugins}, ${open}, ${quiet}, api: { host: "192.0.2.1", port: 0 }`,
		is: "refused",
		says: /192\.0\.2\.1/,
	},
	"TLS without a certificate": {
		config: `${plugins}, ${open}, ${quiet}, api: { port: 0, use_ssl: true }`,
		is: "refused",
		says: /api\.cert/,
	},
	"TLS with a certificate that is not there": {
		config: `${plugins}, ${open}, ${quiet}, api: { port: 0, use_ssl: true, cert: "HERE/cert.pem", key: "HERE/key.pem" }`,
		is: "refused",
		says: /cert\.pem/,
	},
	"one part of the service on a file": {
		config: `${withStorage('knexStorage({ client: "sqlite" })')}, node: { only: ["worker"] }`,
		is: "refused",
		says: /node\.only: other nodes must run/,
	},
	"roles without authentication": {
		config: withMore("rbac: { enable: true }"),
		is: "refused",
		says: /rbac\.enable: requires auth\.enable/,
	},
	"a role of its own": {
		config: withRoles('roles: [{ name: "ops", permission_grants: [{ permission_types: ["rule_list"] }] }]'),
		is: "starts",
	},
	"a role with a permission that there is not": {
		config: withRoles('roles: [{ name: "ops", permission_grants: [{ permission_types: ["rule_lst"] }] }]'),
		is: "refused",
		says: /rule_lst/,
	},
	"a role that there is not": { config: withRoles('assignments: [{ username: "ann", roles: ["ops"] }]'), is: "refused", says: /ops/ },
	"a first administrator who could not sign in": {
		config: `${signedIn("backend: flatFile()")}, system_user: { user: "admin" }`,
		is: "refused",
		says: /system_user\.user/,
	},
	"a pack whose rule is wrong": {
		config: withMore('packs: ["./packs"]'),
		prepare: ({ write }) => write("packs/hello/rules/wrong.yaml", "name: wrong\npack: hello\ntrigger: { type: no.such }\n"),
		is: "starts",
	},
	"packs that are not there": { config: withMore('packs: ["./no-packs"]'), is: "refused", says: /packs: .*no-packs" cannot be read/ },
	"packs that are no list": { config: withMore('packs: "./packs"'), is: "refused", says: /packs: expected an array/ },
	"two features with the same route": {
		config: withMore(`features: [${withRoute("one", "/zz/:id")}, ${withRoute("two", "/zz/:name")}]`),
		is: "refused",
		says: /features: "two" adds the route GET \/zz\/:name, but "one" answers GET \/zz\/:id already/,
	},
	"features that are no list": { config: withMore("features: {}"), is: "refused", says: /features: expected an array of feature plugins/ },
};
