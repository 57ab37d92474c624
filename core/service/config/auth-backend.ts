import { type AuthBackendPlugin, toErrorMessage } from "../../contract/index.ts";
import { findPluginProblem } from "./check-plugins.ts";
import { describeValue, isRecord } from "./describe-value.ts";
import { didYouMean } from "./did-you-mean.ts";
import type { Environment } from "./environment.ts";

/** Backend that is used if one is needed, the configuration names none, and `auth_backends` has this one. */
const defaultBackend = "flat_file";

/**
 * Returns the auth backend of a configuration: a plugin, or a name in `auth_backends` with `backend_kwargs`. `SVC_AUTH_BACKEND` and
 * `SVC_AUTH_BACKEND_KWARGS` take precedence. Adds each problem to `problems`.
 */
export function resolveAuthBackend(
	input: Readonly<Record<string, unknown>>,
	env: Environment,
	{ isNeeded, problems }: { readonly isNeeded: boolean; readonly problems: string[] },
): AuthBackendPlugin | undefined {
	const section = isRecord(input["auth"]) ? input["auth"] : {};
	const available = isRecord(input["auth_backends"]) ? input["auth_backends"] : {};
	const fallback = Object.hasOwn(available, defaultBackend) && isNeeded ? defaultBackend : undefined;
	const backend = env["SVC_AUTH_BACKEND"]?.trim() || (section["backend"] ?? fallback);
	const kwargs = env["SVC_AUTH_BACKEND_KWARGS"]?.trim() || section["backend_kwargs"];
	if (typeof backend === "string") return createNamed(backend, kwargs, available, problems);
	if (kwargs !== undefined) problems.push("auth.backend_kwargs: allowed only if auth.backend is the name of a backend");
	const problem = backend === undefined ? undefined : findPluginProblem("auth.backend", "auth-backend", backend);
	if (problem !== undefined) problems.push(problem);
	if (backend === undefined && isNeeded) {
		problems.push(
			"auth.backend: required if auth.enable is true; hint: auth: { backend: flatFile() }, or auth: { enable: false } for access without sign-in",
		);
	}
	return problem === undefined ? (backend as AuthBackendPlugin | undefined) : undefined;
}

function createNamed(
	name: string,
	kwargs: unknown,
	available: Readonly<Record<string, unknown>>,
	problems: string[],
): AuthBackendPlugin | undefined {
	const names = Object.keys(available);
	const create = Object.hasOwn(available, name) ? available[name] : undefined;
	if (typeof create !== "function") {
		const known = names.length === 0 ? "auth_backends of the configuration is empty" : `auth_backends holds ${names.join(", ")}`;
		problems.push(`auth.backend: unknown backend "${name}"; ${didYouMean(name, names)}${known}`);
		return undefined;
	}
	const parsed = parseKwargs(kwargs);
	if (parsed === undefined) {
		// The value is not part of the message, because it contains passwords.
		problems.push(`auth.backend_kwargs: must be a JSON object with the arguments of backend "${name}"`);
		return undefined;
	}
	try {
		const plugin: unknown = create(parsed);
		const problem = findPluginProblem(`auth_backends.${name}`, "auth-backend", plugin);
		if (problem === undefined) return plugin as AuthBackendPlugin;
		problems.push(problem);
	} catch (error) {
		problems.push(`auth.backend_kwargs: refused by backend "${name}": ${toErrorMessage(error)}`);
	}
	return undefined;
}

function parseKwargs(kwargs: unknown): Readonly<Record<string, unknown>> | undefined {
	if (kwargs === undefined) return {};
	if (isRecord(kwargs)) return kwargs;
	if (typeof kwargs !== "string") return undefined;
	try {
		const parsed: unknown = JSON.parse(kwargs);
		return isRecord(parsed) ? parsed : undefined;
	} catch {
		return undefined;
	}
}

/** Returns what is wrong with the value of `auth_backends`, or undefined if it is valid. */
export function findAuthBackendsProblem(value: unknown): string | undefined {
	if (value === undefined) return undefined;
	if (isRecord(value) && Object.values(value).every((create) => typeof create === "function")) return undefined;
	return `auth_backends: expected an object of backend names and functions that create a backend, got ${describeValue(value)}; hint: auth_backends: { ldap }`;
}
