import { openSync } from "node:fs";
import { type JsonValue, type Storage, type StoragePlugin, stringifyJson } from "svc-automation/contract";

/** Faults for the test of the fuzzer: it must find each. */
export const plantedFaults = ["error", "stall", "crash", "rejection", "leak", "restart"] as const;

type PlantedFault = (typeof plantedFaults)[number];

/** A storage with these faults, comma-separated; with none it is the storage itself. */
export function plantFaults(plugin: StoragePlugin, names: string): StoragePlugin {
	const wanted = plantedFaults.filter((name) => names.split(",").includes(name));
	return wanted.length === 0 ? plugin : { ...plugin, create: () => wanted.reduce(plant, plugin.create()) };
}

/** What happens before a call of the storage goes on. */
type Fault = (member: string, kind: unknown, value: string) => void;

const faults: Readonly<Record<PlantedFault, Fault>> = {
	/** An action with a tag is a defect. */
	error(member, kind, value) {
		if (member === "insert" && kind === "action" && /"tags":\[\{/.test(value)) throw new Error("planted");
	},
	/** An item that the fuzzer makes holds up every look at the items. */
	stall: (() => {
		let isPoisoned = false;
		return (member, kind, value) => {
			if (kind !== "key_value") return;
			if (member === "insert" || member === "update") isPoisoned ||= /"name":"(?!fuzz_pin)/.test(value);
			const before = process.cpuUsage();
			while (isPoisoned && member === "find" && process.cpuUsage(before).user < 300_000);
		};
	})(),
	crash(member, kind, value) {
		if (member === "insert" && kind === "rule" && isAsked(value)) setImmediate(() => thrown("planted"));
	},
	rejection(member, kind, value) {
		if (member === "insert" && kind === "rule" && isAsked(value)) void Promise.reject(new Error("planted"));
	},
	leak(member) {
		if (member === "insert") for (let count = 0; count < 5; count += 1) openSync("/dev/null", "r");
	},
	/** What is stored cannot be read at the next start. */
	restart(member, kind) {
		if (member === "find" && kind === "trigger" && process.env["FUZZ_AGAIN"] !== undefined) throw new Error("planted");
	},
};

/** Whether it comes of a request of the fuzzer, and not of the start or of what it prepares. */
function isAsked(value: string): boolean {
	return /"name":"f\d/.test(value);
}

function thrown(message: string): never {
	throw new Error(message);
}

function plant(storage: Storage, name: PlantedFault): Storage {
	const fault = faults[name];
	return new Proxy(storage, {
		get(target, member) {
			const value: unknown = Reflect.get(target, member, target);
			if (typeof value !== "function" || typeof member !== "string") return value;
			const call = value.bind(target) as (...values: unknown[]) => unknown;
			return async (...values: unknown[]) => {
				// Several writes at once are looked at one by one.
				for (const [done, kind, rest] of toCalls(member, values)) fault(done, kind, stringifyJson(rest as JsonValue));
				return call(...values);
			};
		},
	});
}

function toCalls(member: string, values: readonly unknown[]): readonly (readonly [member: string, kind: unknown, rest: unknown])[] {
	if (member !== "write") return [[member, values[0], values.slice(1)]];
	return (values[0] as readonly Readonly<Record<string, unknown>>[]).map((operation) => {
		const verb = ["insert", "update", "remove"].find((name) => name in operation) ?? "";
		return [verb, operation[verb], operation];
	});
}
