import { missing, type Requirement } from "../requires.ts";

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
