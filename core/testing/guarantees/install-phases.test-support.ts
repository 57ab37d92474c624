import * as assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { ServiceProcess } from "./service-process.test-support.ts";
import { until } from "./until.test-support.ts";
import { ended, type VersionedPack } from "./versioned-pack.test-support.ts";

/** Seconds. */
const patience = 30;
/** Steps of an installation, as it tells of them. */
export const phases = ["fetch", "store the files of", "check the files of", "prepare the environment of", "switch to"] as const;
export type Phase = (typeof phases)[number];

/** Install to the end: milliseconds that each phase took, none for those that it did without. */
export async function install(service: ServiceProcess, pack: VersionedPack): Promise<Readonly<Record<Phase, number>>> {
	const { status, result } = await ended(service, await begin(service, pack));
	assert.equal(status, "succeeded", JSON.stringify(result));
	const tasks = result?.["tasks"] as unknown as readonly Readonly<Record<"name" | "created_at" | "updated_at", string>>[];
	const took = (phase: Phase) => {
		const task = tasks.find(({ name }) => name.startsWith(phase));
		return task === undefined ? 0 : Date.parse(task.updated_at) - Date.parse(task.created_at);
	};
	return Object.fromEntries(phases.map((phase) => [phase, took(phase)])) as Record<Phase, number>;
}

/** Begin an installation: its execution. */
export async function begin({ client }: ServiceProcess, pack: VersionedPack): Promise<string> {
	return (await client.packInstalls.install({ packs: [pack.address] })).execution_id;
}

/** Wait for so many milliseconds after an installation has said that the phase begins. */
export async function untilIn({ client }: ServiceProcess, id: string, { phase, after }: { phase: Phase; after: number }): Promise<void> {
	for await (const { data } of client.followOutput(id)) {
		if (data.split("\n").some((line) => line.startsWith(phase))) return delay(after);
	}
	assert.fail(`the installation ended before "${phase}"`);
}

/** Wait until the record of the pack is of this version. */
export async function untilSeen({ client }: ServiceProcess, version: number): Promise<void> {
	await until(
		`version ${version} is seen`,
		patience,
		async () => (await client.packs.get("disk")).version === `${version}.0.0` || undefined,
	);
}

/** What an installation was last about when it was killed. */
export async function readLastPhase({ client }: ServiceProcess, id: string): Promise<string> {
	let last = "nothing";
	for await (const { data } of client.followOutput(id)) {
		for (const line of data.split("\n")) last = [...phases, "installed"].find((phase) => line.startsWith(phase)) ?? last;
	}
	return last;
}
