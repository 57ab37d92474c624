import * as assert from "node:assert/strict";
import type { JsonValue } from "../../contract/index.ts";
import { type RegisterTest, runKit } from "../run-kit.ts";

/** A plugin that breaks one promise. The name says which, the way a report of its fault would. */
export interface Broken<T> {
	readonly name: string;
	/** The statement of the kit that must refuse it. */
	readonly refusedBy: string;
	/** What the plugin under test makes of a sound one. */
	readonly spoil: (sound: T) => T;
	/** Whether what it breaks shows only by never coming. Default false: the statement itself must say what is wrong. */
	readonly hangs?: boolean;
	/** Part of the error that comes from the plugin itself, where it is no finding of the statement. */
	readonly fails?: string;
}

type Register = (test: RegisterTest) => void;

/** Milliseconds: far above what a statement takes that is refused by what it finds. */
const patience = 20_000;
/** Milliseconds: for statements that wait for what never comes. */
const shortPatience = 700;

/** Runs the statement of the kit that must refuse the plugin, and fails when it holds, or fails for want of time alone. */
export async function assertRefused(
	{ refusedBy, hangs = false, fails }: Omit<Broken<never>, "name" | "spoil">,
	register: Register,
): Promise<void> {
	const only = (name: string) => name.endsWith(`: ${refusedBy}`);
	const [result, ...others] = await runKit(register, { only, timeout: hangs ? shortPatience : patience });
	assert.ok(result !== undefined && others.length === 0, `the kit has not one statement "${refusedBy}"`);
	assert.notEqual(result.error, undefined, "the kit has no objection");
	// Any other error is a fault of the spoiling itself.
	const message = String(result.error);
	const isFinding = result.error instanceof assert.AssertionError;
	const isAsExpected = hangs ? message.includes("it had not ended after") : fails === undefined ? isFinding : message.includes(fails);
	assert.ok(isAsExpected, `the statement failed otherwise than it should: ${message}`);
}

/** Fails with the first statement that does not hold. */
export async function assertAccepted(register: Register): Promise<void> {
	const results = await runKit(register);
	assert.ok(results.length > 0, "the kit has no statement");
	for (const { name, error } of results) assert.equal(error, undefined, `${name}: ${String(error)}`);
}

/** The same object with some members replaced. What is left calls the sound ones. */
export function withChanges<T extends object>(sound: T, changes: Partial<T>): T {
	return new Proxy(sound, {
		get(target, name) {
			if (Object.hasOwn(changes, name)) return Reflect.get(changes, name);
			const value: unknown = Reflect.get(target, name);
			// Classes with private members know them by themselves, and not by what stands in front of them.
			return typeof value === "function" ? value.bind(target) : value;
		},
		has: (target, name) => name in changes || name in target,
	});
}

/** Returns a copy in which every value is what `change` makes of it, from the outermost on. A member that becomes undefined is left out. */
export function mapValues(
	value: JsonValue,
	change: (value: JsonValue, key: string) => JsonValue | undefined,
	key = "",
): JsonValue | undefined {
	const changed = change(value, key);
	if (Array.isArray(changed)) return changed.map((item: JsonValue, index) => mapValues(item, change, String(index)) ?? null);
	// What has no JSON becomes null, as JSON.stringify does it.
	if (typeof changed === "number" && !Number.isFinite(changed)) return null;
	if (typeof changed !== "object" || changed === null) return changed;
	const members = Object.entries(changed).map(([name, member]) => [name, mapValues(member as JsonValue, change, name)] as const);
	return Object.fromEntries(members.filter(([, member]) => member !== undefined)) as JsonValue;
}
