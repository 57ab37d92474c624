import { packInstaller } from "../../../plugins/feature-pack-installer/index.ts";
import { defineConfig, type SvcConfig } from "../../contract/index.ts";
import { authBackend, eventBus, runner, storage } from "./config.test-support.ts";

/** A configuration that the compiler refuses and the start too: the same value, the second time as plain JavaScript has it. */
export interface Wrong {
	/** Where the start says that it is wrong. */
	readonly path: string;
	/** What it says there: what is expected or allowed, or a hint. */
	readonly message: string;
	readonly make: () => SvcConfig;
}

const parts = { features: [packInstaller()], storage, event_bus: eventBus, runners: [runner("one")], auth: { backend: authBackend } };

export const wrong = (path: string, message: string, make: () => SvcConfig): Wrong => ({ path, message, make });

// An expected error that does not occur is an error itself.
export const wrongConfigurations: readonly Wrong[] = [
	wrong("runners", "expected an array of runner plugins, got nothing; hint: runners: [", () =>
		// @ts-expect-error runners are needed
		defineConfig({ storage, event_bus: eventBus }),
	),
	// @ts-expect-error a storage is needed
	wrong("storage", "expected a storage plugin, got nothing; hint: ", () => defineConfig({ event_bus: eventBus, runners: [] })),
	// @ts-expect-error an event bus is needed
	wrong("event_bus", "expected an event bus plugin, got nothing; hint: ", () => defineConfig({ storage, runners: [] })),
	// @ts-expect-error an event bus is no storage
	wrong("storage", "got the event-bus plugin", () => defineConfig({ ...parts, storage: eventBus })),
	// @ts-expect-error a storage is no event bus
	wrong("event_bus", "got the storage plugin", () => defineConfig({ ...parts, event_bus: storage })),
	// @ts-expect-error a storage is no runner
	wrong("runners[0]", "got the storage plugin", () => defineConfig({ ...parts, runners: [storage] })),
	// @ts-expect-error a runner is no sensor
	wrong("sensors[0]", "expected a sensor plugin, got the runner plugin", () => defineConfig({ ...parts, sensors: [runner("one")] })),
	// @ts-expect-error a runner is no auth backend
	wrong("auth.backend", "expected an auth backend plugin", () => defineConfig({ ...parts, auth: { backend: runner("one") } })),
	// @ts-expect-error a storage is called to be configured
	wrong("storage", "got a function, which must be called", () => defineConfig({ ...parts, storage: () => storage })),
	// @ts-expect-error a runner is called to be configured
	wrong("runners[0]", "got a function, which must be called", () => defineConfig({ ...parts, runners: [() => runner("one")] })),
	// @ts-expect-error runners are a list
	wrong("runners", "expected an array of runner plugins, got the runner plugin", () => defineConfig({ ...parts, runners: runner("one") })),
	// @ts-expect-error a plugin is no name
	wrong("storage", 'got "sqlite"; hint: ', () => defineConfig({ ...parts, storage: "sqlite" })),
	// @ts-expect-error a plugin has a name
	wrong("event_bus", "got an object; hint: ", () => defineConfig({ ...parts, event_bus: { kind: "event-bus", create: eventBus.create } })),
	// @ts-expect-error a contract version is a number
	wrong("storage", 'contract version "1"', () => defineConfig({ ...parts, storage: { ...storage, contract: "1" } })),
	// @ts-expect-error unknown section
	wrong("strem", 'did you mean "stream"?', () => defineConfig({ ...parts, strem: {} })),
	// @ts-expect-error unknown option
	wrong("api.prot", 'did you mean "port"?', () => defineConfig({ ...parts, api: { prot: 9101 } })),
	// @ts-expect-error unknown option beside the backend
	wrong("auth.token_tl", 'did you mean "token_ttl"?', () => defineConfig({ ...parts, auth: { backend: authBackend, token_tl: 1 } })),
	// @ts-expect-error a section holds options
	wrong("api", "expected an object with options, got a number", () => defineConfig({ ...parts, api: 9101 })),
	// @ts-expect-error a port is a number
	wrong("api.port", "expected an integer from 0 to 65535", () => defineConfig({ ...parts, api: { port: "9101" } })),
	// @ts-expect-error a switch is a boolean
	wrong("auth.enable", "expected true or false", () => defineConfig({ ...parts, auth: { backend: authBackend, enable: "yes" } })),
	// @ts-expect-error a level is one of the choices
	wrong("log.level", "allowed: error, warn, info, debug", () => defineConfig({ ...parts, log: { level: "trace" } })),
	// @ts-expect-error a list holds texts
	wrong("api.allow_origin", "expected an array of strings", () => defineConfig({ ...parts, api: { allow_origin: [1] } })),
	// @ts-expect-error a list is no text
	wrong("api.allow_origin", "expected an array of strings", () => defineConfig({ ...parts, api: { allow_origin: "*" } })),
	// @ts-expect-error a part of the service is one of the roles
	wrong("node.only", 'did you mean "worker"?', () => defineConfig({ ...parts, node: { only: ["wroker"] } })),
	wrong("auth.backend", 'unknown backend "ldpa"; did you mean "ldap"?', () =>
		// @ts-expect-error the name is none of auth_backends
		defineConfig({ ...parts, auth: { backend: "ldpa" }, auth_backends: { ldap: () => authBackend } }),
	),
	// @ts-expect-error there are no backends to choose from
	wrong("auth.backend", 'unknown backend "ldap"', () => defineConfig({ ...parts, auth: { backend: "ldap" } })),
	// @ts-expect-error a backend is a plugin or a name
	wrong("auth.backend", "expected an auth backend plugin, got 1", () => defineConfig({ ...parts, auth: { backend: 1 } })),
	wrong("auth_backends.a", "got the storage plugin", () =>
		// @ts-expect-error backends to choose from make plugins
		defineConfig({ ...parts, auth: { backend: "a" }, auth_backends: { a: () => storage } }),
	),
	// @ts-expect-error backends to choose from are functions
	wrong("auth_backends", "functions that create a backend", () => defineConfig({ ...parts, auth_backends: { a: authBackend } })),
	// @ts-expect-error a backend stands in auth only
	wrong("api.backend", "unknown option", () => defineConfig({ ...parts, api: { backend: authBackend } })),
	// @ts-expect-error packs is a list
	wrong("packs", "expected an array of directories", () => defineConfig({ ...parts, packs: "./packs" })),
	// @ts-expect-error a directory is a text
	wrong("data_dir", "expected a directory", () => defineConfig({ ...parts, data_dir: 1 })),
	// @ts-expect-error a role has a name
	wrong("rbac.roles[0]", "must have required property 'name'", () => defineConfig({ ...parts, rbac: { roles: [{ description: "x" }] } })),
	wrong("rbac.assignments[0].roles", "must be array", () =>
		// @ts-expect-error roles of an assignment are a list
		defineConfig({ ...parts, rbac: { assignments: [{ username: "a", roles: "b" }] } }),
	),
	// @ts-expect-error the sections are an object
	wrong("the configuration", "must be an object, got an array; hint: ", () => defineConfig([])),
];
