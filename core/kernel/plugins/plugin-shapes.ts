import { isAbsolute } from "node:path";
import { type PluginKind, toErrorMessage } from "../../contract/index.ts";
import { checkParameterDefinitions } from "../../language/parameters/check-definitions.ts";

type Members = Readonly<Record<string, unknown>>;

/** Members that plugins of one kind must have. */
interface PluginShape {
	readonly title: string;
	/** Required methods, with an example of each for error messages. */
	readonly methods: Readonly<Record<string, string>>;
	readonly optionalMethods?: readonly string[];
	readonly hasCapabilities?: boolean;
	readonly check?: (members: Members) => readonly string[];
}

const storageMethodHint = "svc-automation/contract describes each method of Storage";

const shapes: Readonly<Record<PluginKind, PluginShape>> = {
	runner: {
		title: "runner",
		methods: { run: "async run({ runnerParameters, emit }) { return { succeeded: true, result: {} }; }" },
		optionalMethods: ["runAtOnce", "recover", "afterRun", "prepare"],
		hasCapabilities: true,
		check: checkRunner,
	},
	"auth-backend": {
		title: "auth backend",
		methods: { authenticate: "async authenticate({ username, password }, { signal }) { return { username }; }" },
		optionalMethods: ["isEmpty", "addUser", "listUsers", "setPassword", "removeUser"],
	},
	storage: {
		title: "storage",
		methods: Object.fromEntries(
			["insert", "get", "find", "count", "distinct", "update", "claim", "remove", "write"].map((name) => [name, storageMethodHint]),
		),
		optionalMethods: ["now", "plan", "inspect", "backup", "restore", "compact"],
		hasCapabilities: true,
	},
	"event-bus": {
		title: "event bus",
		methods: { publish: "publish(name, data) { }", subscribe: "async subscribe(names, { signal }) { return events; }" },
		hasCapabilities: true,
	},
	sensor: { title: "sensor", methods: { run: "async run({ signal, dispatch }) { }" }, check: checkSensor },
	dialect: { title: "dialect", methods: {}, optionalMethods: ["normalize"], check: checkDialect },
	telemetry: {
		title: "telemetry",
		methods: {},
		optionalMethods: ["meters", "span", "expose"],
		check: ({ description }) => checkDescription(description),
	},
};

/**
 * Returns the problems of the instance that a plugin's `create` has returned, each with path and hint. The TypeScript compiler finds the
 * same problems; this check is for plain JavaScript, and runs before any plugin starts.
 */
export function findShapeProblems(path: string, { kind, name }: { readonly kind: PluginKind; readonly name: string }, instance: unknown) {
	const { title, methods, optionalMethods = [], hasCapabilities = false, check = () => [] } = shapes[kind];
	const prefix = `${path}: ${title} "${name}"`;
	if (typeof instance !== "object" || instance === null) {
		return [
			`${prefix} is created as ${instance === null ? "null" : typeof instance}; hint: create must return an object with the ${title}`,
		];
	}
	const members = instance as Members;
	const missing = Object.entries(methods)
		.filter(([method]) => typeof members[method] !== "function")
		.map(([method, hint]) => `has no method ${method}; hint: ${hint}`);
	const malformed = [...optionalMethods, "check", "start", "stop"]
		.filter((method) => members[method] !== undefined && typeof members[method] !== "function")
		.map((method) => `has a member ${method} that is not a method; hint: omit it, or make it a method`);
	const capabilities = hasCapabilities ? checkCapabilities(members["capabilities"]) : [];
	return [...missing, ...malformed, ...capabilities, ...check(members)].map((problem) => `${prefix} ${problem}`);
}

function checkCapabilities(value: unknown): readonly string[] {
	if (!isObject(value)) return ["has no capabilities; hint: capabilities: {}, for none"];
	return Object.entries(value)
		.filter(([, capability]) => typeof capability !== "boolean")
		.map(([name]) => `has a capability ${name} that is neither true nor false; hint: capabilities: { ${name}: true }`);
}

const entryPoints = ["required", "forbidden", "optional"];

function checkRunner(members: Members): readonly string[] {
	const { description, parameters, capabilities, recover, definitions, packSensors, entryPoint = "optional" } = members;
	const has = (capability: string) => isObject(capabilities) && capabilities[capability] === true;
	return [
		...checkDescription(description),
		...checkParameters(parameters),
		...problemIf(
			has("workflow") && !(has("recovery") && has("cancellation")),
			"has the capability workflow without recovery and cancellation; hint: capabilities: { cancellation: true, recovery: true, workflow: true }",
		),
		...checkDefinitions(definitions),
		...checkPackSensors(packSensors),
		...problemIf(
			has("recovery") && typeof recover !== "function",
			"has the capability recovery and no method recover; hint: async recover(context, state) { return undefined; }",
		),
		...problemIf(!entryPoints.includes(String(entryPoint)), `has an unknown entryPoint; hint: one of ${entryPoints.join(", ")}`),
	];
}

function checkDefinitions(definitions: unknown): readonly string[] {
	if (definitions === undefined) return [];
	if (!isObject(definitions)) return ["has definitions that are not an object; hint: definitions: { inspect, graph, progress }"];
	const optional = ["assertTakenUp", "test"].filter((name) => definitions[name] !== undefined);
	return ["inspect", "graph", "progress", ...optional]
		.filter((name) => typeof definitions[name] !== "function")
		.map((name) => `has definitions without a method ${name}; hint: definitions: { inspect, graph, progress }`);
}

function checkPackSensors(packSensors: unknown): readonly string[] {
	if (packSensors === undefined) return [];
	const { suffixes, create } = isObject(packSensors) ? packSensors : {};
	const hasSuffixes = Array.isArray(suffixes) && suffixes.every((suffix) => typeof suffix === "string" && /^\.\w+$/.test(suffix));
	if (hasSuffixes && typeof create === "function") return [];
	return ['has packSensors without suffixes and create; hint: packSensors: { suffixes: [".py"], create(definition) { return sensor; } }'];
}

function checkParameters(parameters: unknown): readonly string[] {
	try {
		checkParameterDefinitions(parameters);
		return [];
	} catch (error) {
		return [`has invalid parameters: ${toErrorMessage(error)}; hint: parameters: { text: { type: "string", required: true } }`];
	}
}

function checkSensor({ description, trigger_types: types }: Members): readonly string[] {
	const hint = 'hint: trigger_types: [{ name: "tick" }]';
	if (!Array.isArray(types)) return [...checkDescription(description), `has no list trigger_types; ${hint}`];
	const namelessIndex = types.findIndex((type: unknown) => !isObject(type) || typeof type["name"] !== "string" || type["name"] === "");
	return [...checkDescription(description), ...problemIf(namelessIndex !== -1, `has no name at trigger_types[${namelessIndex}]; ${hint}`)];
}

const nameTables = ["runnerTypes", "triggerTypes", "names", "environment"] as const;

function checkDialect(members: Members): readonly string[] {
	const { description, attributes = {}, pythonPath } = members;
	const malformedTables = nameTables.filter((name) => members[name] !== undefined && !isNameTable(members[name]));
	const hasAttributeTables = isObject(attributes) && Object.values(attributes).every(isNameTable);
	return [
		...checkDescription(description),
		...malformedTables.map((name) => `has ${name} that are not an object of names; hint: ${name}: { theirs: "ours" }`),
		...problemIf(!hasAttributeTables, 'has attributes that are not objects of names; hint: attributes: { action: { theirs: "ours" } }'),
		...problemIf(
			pythonPath !== undefined && !(typeof pythonPath === "string" && isAbsolute(pythonPath)),
			'has a pythonPath that is not an absolute path; hint: pythonPath: fileURLToPath(new URL("./python", import.meta.url))',
		),
	];
}

function isNameTable(value: unknown): boolean {
	return isObject(value) && Object.values(value).every((name) => typeof name === "string" && name !== "");
}

function checkDescription(description: unknown): readonly string[] {
	return problemIf(typeof description !== "string", 'has no text description; hint: description: "Prints a text in upper case."');
}

function problemIf(isWrong: boolean, problem: string): readonly string[] {
	return isWrong ? [problem] : [];
}

function isObject(value: unknown): value is Members {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
