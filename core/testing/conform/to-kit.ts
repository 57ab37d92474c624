import { basename } from "node:path";
import type { ConformKind } from "../../cli/context.ts";
import { SvcError } from "../../contract/index.ts";
import { type AuthBackendSuiteOptions, testAuthBackend } from "../auth-suite.ts";
import { type EventBusSuiteOptions, testEventBus } from "../event-bus-suite.ts";
import type { RegisterTest } from "../run-kit.ts";
import { type RunnerSuiteOptions, testRunner } from "../runner-suite.ts";
import { type SensorSuiteOptions, testSensor } from "../sensor-suite.ts";
import { type StorageSuiteOptions, testStorage } from "../storage-suite.ts";
import { type AnyPlugin, type Derived, derive } from "./derive-suite-options.ts";

/** A conformance kit that is ready to run: its name, its tests, and descriptions of the statements that remain untested. */
export interface Kit {
	readonly name: string;
	register(test: RegisterTest): void;
	readonly leftOut: readonly string[];
}

const cases = ["succeeds", "fails", "throws", "prints", "blocks"];

/** Members that the options of each kit must have. `name` has a default, and `runKit` supplies `test`. */
const required: Readonly<Record<ConformKind, Readonly<Record<string, "function" | "object">>>> = {
	runner: { create: "function", cases: "object" },
	"auth-backend": { create: "function" },
	storage: { create: "function" },
	"event-bus": { create: "function" },
	sensor: { create: "function" },
};

/** Converts the export of a module to a kit. The export is the options of the suite, a plugin, or a function that returns either. */
export function toKit(kind: ConformKind, path: string, module: unknown): Kit {
	const found = findExport(module);
	const exported = typeof found === "function" ? callFactory(path, found as () => unknown) : found;
	const fallback = basename(path).replace(/\.[^.]+$/, "");
	if (isPlugin(exported)) {
		if (exported.kind !== kind) throw refusal(path, `exports a plugin of the kind "${exported.kind}", not "${kind}"`);
		return register(kind, { name: exported.name }, derive(path, exported));
	}
	const options = toOptions(kind, path, exported);
	const missing = kind === "runner" ? cases.filter((name) => !Object.hasOwn(options["cases"] as object, name)) : [];
	const leftOut = missing.length === 0 ? [] : [`statements of the cases ${missing.join(", ")}: give them in \`cases\``];
	return register(kind, { name: typeof options["name"] === "string" ? options["name"] : fallback }, { options, leftOut });
}

/** Returns the export `conformance`, the default export, or the only usable export. Returns undefined if none of them exists. */
function findExport(module: unknown): unknown {
	if (typeof module !== "object" || module === null) return module;
	const exports = module as Readonly<Record<string, unknown>>;
	if (exports["conformance"] !== undefined) return exports["conformance"];
	if (exports["default"] !== undefined) return exports["default"];
	const usable = Object.values(exports).filter((value) => typeof value === "function" || isPlugin(value));
	return usable.length === 1 ? usable[0] : undefined;
}

function callFactory(path: string, create: () => unknown): unknown {
	try {
		return create();
	} catch (error) {
		throw refusal(path, `exports a function that fails when it is called without options (${String(error)})`, error);
	}
}

function toOptions(kind: ConformKind, path: string, exported: unknown): Readonly<Record<string, unknown>> {
	if (typeof exported !== "object" || exported === null) throw refusal(path, "exports nothing that can be tested");
	const options = exported as Readonly<Record<string, unknown>>;
	for (const [name, type] of Object.entries(required[kind])) {
		if (typeof options[name] !== type || options[name] === null) {
			throw refusal(path, `exports options for a kit of the kind "${kind}" whose "${name}" is no ${type}`);
		}
	}
	return options;
}

function register(kind: ConformKind, { name }: { readonly name: string }, { options, leftOut }: Derived): Kit {
	// The cast is needed because only the presence of the required members was checked. The kit itself tests what they do.
	const given = (test: RegisterTest) => ({ ...options, name, test }) as unknown;
	const registers: Readonly<Record<ConformKind, (test: RegisterTest) => void>> = {
		runner: (test) => testRunner(given(test) as RunnerSuiteOptions),
		"auth-backend": (test) => testAuthBackend(given(test) as AuthBackendSuiteOptions),
		storage: (test) => testStorage(given(test) as StorageSuiteOptions),
		"event-bus": (test) => testEventBus(given(test) as EventBusSuiteOptions),
		sensor: (test) => testSensor(given(test) as SensorSuiteOptions),
	};
	return { name, register: registers[kind], leftOut };
}

function isPlugin(value: unknown): value is AnyPlugin {
	return typeof value === "object" && value !== null && "kind" in value && "create" in value && typeof value.create === "function";
}

function refusal(path: string, problem: string, cause?: unknown): SvcError {
	const expected =
		'an export "conformance" ({ name, create, … }, the options of the kit except "test"), a plugin, or a function that creates a plugin';
	return new SvcError("SVC_CONFIG", `module "${path}" ${problem}; expected ${expected}`, { cause });
}
