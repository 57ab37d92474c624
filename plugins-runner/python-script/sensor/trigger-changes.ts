import type { JsonObject, SensorContext, SensorTrigger, SensorTriggerChange } from "../../../core/contract/index.ts";

/** Have the process deal with changes; resolves when it has. */
export type TellChanges = (number: number, changes: readonly JsonObject[]) => Promise<void>;

/** Tell of the triggers of the sensor's types until the signal aborts: first of those there are, also where there is none; one change after the other. */
export async function followTriggers(context: SensorContext, signal: AbortSignal, tell: TellChanges): Promise<void> {
	const aborted = new Promise<"aborted">((resolve) => {
		if (signal.aborted) resolve("aborted");
		else signal.addEventListener("abort", () => resolve("aborted"), { once: true });
	});
	const changes = context.followTriggers()[Symbol.asyncIterator]();
	let number = 0;
	for (;;) {
		const next = await Promise.race([changes.next(), aborted]);
		if (next === "aborted" || next.done === true) return;
		number += 1;
		const told = tell(number, toChanges(next.value));
		if ((await Promise.race([told, aborted])) === "aborted") return;
	}
}

/** One that was removed and added with the same ref has got other parameters. */
function toChanges({ added, removed }: SensorTriggerChange): readonly JsonObject[] {
	const before = new Set(removed.map(({ ref }) => ref));
	const after = new Set(added.map(({ ref }) => ref));
	return [
		...removed.filter(({ ref }) => !after.has(ref)).map((trigger) => ({ kind: "remove", trigger: toPython(trigger) })),
		...added.map((trigger) => ({ kind: before.has(trigger.ref) ? "update" : "add", trigger: toPython(trigger) })),
	];
}

/** What sensors read of a trigger. */
function toPython({ ref, type, parameters }: SensorTrigger): JsonObject {
	const dot = ref.indexOf(".");
	const [pack, name] = [ref.slice(0, dot), ref.slice(dot + 1)];
	return { id: ref, uid: `trigger:${pack}:${name}`, ref, pack, name, type, parameters };
}
