import {
	defineAuthBackend,
	defineConfig,
	defineDialect,
	defineEventBus,
	defineRunner,
	defineSensor,
	defineStorage,
	type Plugin,
} from "../../contract/index.ts";
import { createInertEventBus, createInertStorage } from "./config.test-support.ts";
import { type Wrong, wrong } from "./wrong-configurations.test-support.ts";

const bus = createInertEventBus();
const store = createInertStorage();
const text = { description: "Does nothing." };
const run = async () => ({ succeeded: true, result: {} });
const runner = { ...text, parameters: {}, capabilities: {}, run };
const sensor = { ...text, trigger_types: [{ name: "tick" }], run: async () => {} };
const { count: _count, ...storeWithoutCount } = store;
const { capabilities: _capabilities, ...storeWithoutCapabilities } = store;
const { subscribe: _subscribe, ...busWithoutSubscribe } = bus;

/** A configuration with one plugin in its place. Not typed by the place: what is wrong is in the plugin. */
function configure(plugin: Plugin<never, never>) {
	const { kind }: { readonly kind: string } = plugin;
	const [storage, event_bus] = [defineStorage("inert", () => store)(), defineEventBus("inert", () => bus)()];
	const at = {
		runner: { runners: [plugin] },
		sensor: { sensors: [plugin] },
		dialect: { dialects: [plugin] },
		telemetry: { telemetry: [plugin] },
		storage: { storage: plugin },
		"event-bus": { event_bus: plugin },
	};
	const place = kind === "auth-backend" ? { auth: { backend: plugin } } : at[kind as keyof typeof at];
	return defineConfig({ storage, event_bus, runners: [], auth: { enable: false }, ...(place as object) });
}

const refused = (path: string, message: string, make: () => unknown): Wrong =>
	wrong(path, message, () => configure(make() as Plugin<never, never>));

export const wrongPlugins: readonly Wrong[] = [
	refused("runners[0]", 'runner "x" has no method run; hint: ', () =>
		// @ts-expect-error a runner runs
		defineRunner("x", () => ({ ...text, parameters: {}, capabilities: {} }))(),
	),
	// @ts-expect-error run is a method
	refused("runners[0]", "has no method run; hint: ", () => defineRunner("x", () => ({ ...runner, run: "echo" }))()),
	// @ts-expect-error a runner has a description
	refused("runners[0]", "has no text description; hint: ", () => defineRunner("x", () => ({ parameters: {}, capabilities: {}, run }))()),
	// @ts-expect-error a runner says what it can
	refused("runners[0]", "has no capabilities; hint: ", () => defineRunner("x", () => ({ ...text, parameters: {}, run }))()),
	// @ts-expect-error a capability is true or false
	refused("runners[0]", "capability streaming", () => defineRunner("x", () => ({ ...runner, capabilities: { streaming: "yes" } }))()),
	// @ts-expect-error a runner has parameters
	refused("runners[0]", "has invalid parameters", () => defineRunner("x", () => ({ ...text, capabilities: {}, run }))()),
	refused("runners[0]", 'attribute "type" of parameter "a"', () =>
		// @ts-expect-error a type is one of JSON
		defineRunner("x", () => ({ ...runner, parameters: { a: { type: "text" } } }))(),
	),
	// @ts-expect-error required is true or false
	refused("runners[0]", 'attribute "required" of', () => defineRunner("x", () => ({ ...runner, parameters: { a: { required: "no" } } }))()),
	// @ts-expect-error a definition is an object
	refused("runners[0]", 'parameter "a" must have an object', () => defineRunner("x", () => ({ ...runner, parameters: { a: "string" } }))()),
	// @ts-expect-error an attribute is known
	refused("runners[0]", 'unknown attribute "defualt"', () => defineRunner("x", () => ({ ...runner, parameters: { a: { defualt: 1 } } }))()),
	// @ts-expect-error a file is required, forbidden or optional
	refused("runners[0]", "unknown entryPoint; hint: one of", () => defineRunner("x", () => ({ ...runner, entryPoint: "needed" }))()),
	// @ts-expect-error a method that may be left out is a method all the same
	refused("runners[0]", "has a member recover that is not a method", () => defineRunner("x", () => ({ ...runner, recover: true }))()),
	// @ts-expect-error create gives a runner
	refused("runners[0]", "is created as undefined; hint: ", () => defineRunner("x", () => undefined)()),
	// @ts-expect-error create is not to be waited for
	refused("runners[0]", "has no method run", () => defineRunner("x", async () => runner)()),
	// @ts-expect-error a backend verifies
	refused("auth.backend", "has no method authenticate; hint: ", () => defineAuthBackend("x", () => ({ verify: run }))()),
	refused("auth.backend", "isEmpty that is no", () =>
		// @ts-expect-error a method that may be left out is a method all the same
		defineAuthBackend("x", () => ({ authenticate: async () => undefined, isEmpty: true }))(),
	),
	// @ts-expect-error a storage counts
	refused("storage", 'storage "x" has no method count; hint: ', () => defineStorage("x", () => storeWithoutCount)()),
	// @ts-expect-error a storage says what it can
	refused("storage", "has no capabilities; hint: ", () => defineStorage("x", () => storeWithoutCapabilities)()),
	// @ts-expect-error a bus is subscribed to
	refused("event_bus", "has no method subscribe; hint: ", () => defineEventBus("x", () => busWithoutSubscribe)()),
	// @ts-expect-error a bus publishes
	refused("event_bus", "has no method publish; hint: ", () => defineEventBus("x", () => ({ ...bus, publish: [] }))()),
	// @ts-expect-error a sensor has trigger types
	refused("sensors[0]", "has no list trigger_types; hint: ", () => defineSensor("x", () => ({ ...text, run: async () => {} }))()),
	refused("sensors[0]", "has no name at trigger_types[0]", () =>
		// @ts-expect-error a trigger type has a name
		defineSensor("x", () => ({ ...sensor, trigger_types: [{ ref: "tick" }] }))(),
	),
	// @ts-expect-error a sensor runs
	refused("sensors[0]", "has no method run; hint: ", () => defineSensor("x", () => ({ ...text, trigger_types: [] }))()),
	// @ts-expect-error start is a method
	refused("sensors[0]", "has a member start that is no", () => defineSensor("x", () => ({ ...sensor, start: true }))()),
	// @ts-expect-error a dialect has a description
	refused("dialects[0]", "has no text description; hint: ", () => defineDialect("x", () => ({}))()),
	// @ts-expect-error a table has names
	refused("dialects[0]", "has names that are not an object", () => defineDialect("x", () => ({ ...text, names: { kv: 1 } }))()),
	// @ts-expect-error tables stand under what they are about
	refused("dialects[0]", "has attributes that are", () => defineDialect("x", () => ({ ...text, attributes: { action: "cmd" } }))()),
	refused("dialects[0]", "has a pythonPath that is", () => defineDialect("x", () => ({ ...text, pythonPath: "python" }))()),
	// @ts-expect-error a method that may be left out is a method all the same
	refused("dialects[0]", "normalize that is no", () => defineDialect("x", () => ({ ...text, normalize: true }))()),
];
