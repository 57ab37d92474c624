import type { Finding } from "../../cli/service-plan.ts";

/** Packages that an installation may lack, the plugins that use them, and what is off without them. */
export const optionalPackages: readonly { readonly name: string; readonly plugins: readonly string[]; readonly without: string }[] = [
	{ name: "libsql", plugins: ["storage knex"], without: "SQLite cannot be used" },
	{ name: "postgres", plugins: ["storage knex", "event-bus postgres"], without: "PostgreSQL cannot be used" },
	{ name: "@nats-io/transport-node", plugins: ["event-bus nats"], without: "NATS cannot be used" },
	{ name: "ldapts", plugins: ["auth-backend ldap"], without: "nobody can sign in" },
	{ name: "openid-client", plugins: ["auth-backend openid_connect"], without: "nobody can sign in" },
	{ name: "jose", plugins: ["auth-backend openid_connect"], without: "the provider cannot tell who has signed out" },
	{ name: "prom-client", plugins: ["telemetry prometheus"], without: "nothing is measured" },
	{ name: "@opentelemetry/api", plugins: ["telemetry opentelemetry"], without: "no spans are made" },
	{ name: "@opentelemetry/otlp-exporter-base", plugins: ["telemetry opentelemetry"], without: "no spans are sent" },
	{ name: "koffi", plugins: ["auth-backend pam"], without: "nobody can sign in" },
	{ name: "node-pty", plugins: ["runner local-shell-cmd", "runner local-shell-script"], without: "commands cannot have a terminal" },
	{ name: "ssh2", plugins: ["runner remote-shell-cmd", "runner remote-shell-script"], without: "nothing runs on remote hosts" },
	{ name: "undici", plugins: ["runner http-request"], without: "HTTP requests fail" },
	{ name: "pyodide", plugins: ["runner python-script"], without: "Python actions need a python3 on the machine" },
];

/** Packages that plugins of a configuration may need and that are not installed. */
export function findMissingPackages(
	plugins: readonly { readonly kind: string; readonly name: string }[],
	isInstalled: (name: string) => boolean = canResolve,
): readonly Finding[] {
	const used = plugins.map(({ kind, name }) => `${kind} ${name}`);
	return optionalPackages
		.filter(({ name, plugins: users }) => users.some((user) => used.includes(user)) && !isInstalled(name))
		.map(({ name, without }) => ({ path: "", message: `the package "${name}" is not installed: ${without}`, hint: `npm install ${name}` }));
}

function canResolve(name: string): boolean {
	try {
		import.meta.resolve(name);
		return true;
	} catch {
		return false;
	}
}
