import type { Register } from "../extent.test-support.ts";
import { missing, type Requirement } from "../test-requirements.ts";

/** What the service may keep its records in, with the bus that goes with it; and what each needs to be installed. */
const requirements = {
	memory: [],
	sqlite: [{ package: "libsql" }],
	postgres: [{ package: "postgres" }, { command: "postgres" }],
	"postgres-nats": [{ package: "postgres" }, { command: "postgres" }, { package: "@nats-io/transport-node" }, { command: "nats-server" }],
} satisfies Readonly<Record<string, readonly Requirement[]>>;

export type BackendName = keyof typeof requirements;

export const backendNames = Object.keys(requirements) as readonly BackendName[];

/** Chooses the backend of the tests in a process. Default: memory. */
export const backendVariable = "SVC_TEST_BACKEND";

export function chosenBackend(): BackendName {
	const name = process.env[backendVariable] || "memory";
	if (isBackendName(name)) return name;
	throw new Error(`${backendVariable}: "${name}" is none of ${backendNames.join(", ")}`);
}

/**
 * Registers tests that are left out on these backends: they send one request at a time, and use only what the suite for storages tests on every
 * backend. Tests of concurrent statements or of several nodes are registered without it.
 */
export function exceptOn(backends: readonly BackendName[], test: Register): Register {
	return backends.includes(chosenBackend()) ? () => undefined : test;
}

/** Those whose storage is PostgreSQL. */
export const postgresBackends: readonly BackendName[] = ["postgres", "postgres-nats"];

/** Why tests cannot run on a backend here, or undefined when they can. */
export function missingFor(name: BackendName): string | undefined {
	for (const requirement of requirements[name]) {
		const reason = missing(requirement);
		if (reason !== undefined) return reason;
	}
	return undefined;
}

function isBackendName(name: string): name is BackendName {
	return Object.hasOwn(requirements, name);
}
