import * as assert from "node:assert/strict";
import type { ExecutionRecord } from "../../../plugins/_shipped/client.ts";
import { lastingPack } from "./lasting-pack.test-support.ts";
import { isEndless, type Kind, type Ledger } from "./ledger.test-support.ts";
import type { ServiceProcess } from "./service-process.test-support.ts";
import { until } from "./until.test-support.ts";
import { lastNumbers } from "./workload.test-support.ts";

const patience = 30;
const pageSize = 100;
/** Statuses in the only order in which an execution may reach them. */
const order = ["requested", "delayed", "scheduled", "running", "canceling"];
const numbers = (last: number) => Array.from({ length: last }, (_, index) => `${index + 1}\n`).join("");
const written: Partial<Record<Kind, { readonly stdout: string; readonly stderr: string }>> = {
	lines: { stdout: numbers(lastNumbers.stdout), stderr: numbers(lastNumbers.stderr) },
	lasting: { stdout: lastingPack.output, stderr: lastingPack.output },
};

/** After a restart: what was acknowledged is there and comes to an end, what had ended has not changed. */
export async function assertRecovered({ client }: ServiceProcess, ledger: Ledger): Promise<void> {
	await assertUnchanged({ client }, ledger.takeEnds());
	const canceled = new Set<string>();
	await until("every execution found open after the restart is final", patience, async () => {
		const open = ledger.open();
		const records = await readAll({ client }, [...open.keys()]);
		for (const record of records) {
			ledger.see(record);
			const endless = isEndless(open.get(record.id) as Kind);
			if (!endless || canceled.has(record.id)) continue;
			canceled.add(record.id);
			await client.executions.cancel(record.id);
		}
		return ledger.open().size === 0 || undefined;
	});
}

/** At the very end, over everything that was ever promised. */
export async function assertKept({ client }: ServiceProcess, ledger: Ledger): Promise<void> {
	await assertUnchanged({ client }, ledger.ends());
	const starts = await ledger.countStarts();
	const kinds = ledger.acknowledged();
	for (const record of ledger.ends()) {
		assertOrdered(record);
		const kind = kinds.get(record.id);
		assertStartedOnce(record, starts.get(record.id) ?? 0, kind);
		if (kind !== undefined) await assertOutput({ client }, record, kind);
	}
}

type Asking = Pick<ServiceProcess, "client">;

async function readAll({ client }: Asking, ids: readonly string[]): Promise<ExecutionRecord[]> {
	const found: ExecutionRecord[] = [];
	for (let start = 0; start < ids.length; start += pageSize) {
		const page = ids.slice(start, start + pageSize);
		const { items } = await client.executions.list({ id: page.join(","), limit: pageSize });
		const missing = page.filter((id) => !items.some((item) => item.id === id));
		assert.deepEqual(missing, [], "executions were lost");
		found.push(...items);
	}
	return found;
}

async function assertUnchanged(asking: Asking, ends: readonly ExecutionRecord[]): Promise<void> {
	const now = new Map(
		(
			await readAll(
				asking,
				ends.map(({ id }) => id),
			)
		).map((record) => [record.id, record]),
	);
	for (const end of ends) assert.deepEqual(toLasting(now.get(end.id)), toLasting(end), "a final record has changed");
}

/** What may not change once a record is final; the address in it is that of the process that answered. */
function toLasting(record: ExecutionRecord | undefined) {
	const { web_url, ...lasting } = record ?? ({} as ExecutionRecord);
	return lasting;
}

function assertOrdered({ id, status, log }: ExecutionRecord): void {
	const places = log.map((entry) => (entry.status === status ? order.length : order.indexOf(entry.status)));
	const inOrder = log.every((entry, index) => index === 0 || (log[index - 1]?.timestamp ?? "") <= entry.timestamp);
	const ascending = places.every((place, index) => place > (places[index - 1] ?? -1));
	assert.ok(
		inOrder && ascending && log[0]?.status === "requested" && log.at(-1)?.status === status,
		`log of ${id} is out of order: ${JSON.stringify(log)}`,
	);
}

function assertStartedOnce({ id, status, log }: ExecutionRecord, starts: number, kind: Kind | undefined): void {
	assert.ok(starts <= 1, `the command of ${id} was started ${starts} times`);
	if (!log.some((entry) => entry.status === "running")) assert.equal(starts, 0, `the command of ${id} was started before it was running`);
	const counted = kind !== undefined && kind !== "echo" && kind !== "noop";
	if (counted && status === "succeeded") assert.equal(starts, 1, `the command of ${id} was never started`);
	if (kind === "lasting" && starts > 0) assert.equal(status, "succeeded", `${id} was started and not followed to its end`);
	if (kind !== undefined && !isEndless(kind)) assert.match(status, /^(succeeded|abandoned)$/, `${kind} ${id} ended ${status}`);
}

/** All of it after a good end, the beginning of it where the run was cut off. */
async function assertOutput({ client }: Asking, { id, status }: ExecutionRecord, kind: Kind): Promise<void> {
	const lines = written[kind];
	if (lines === undefined) return;
	for (const type of ["stdout", "stderr"] as const) {
		const output = await client.executions.output(id, { type });
		if (status === "succeeded") assert.equal(output, lines[type], `${type} of ${id}`);
		else assert.ok(lines[type].startsWith(output), `${type} of ${id} is not the beginning of what was written`);
	}
}
