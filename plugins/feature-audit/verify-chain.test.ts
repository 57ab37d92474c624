import * as assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "uvu";
import { toCheckpoint, toKeyId } from "./checkpoint.ts";
import { type AuditDraft, type AuditEntry, chain, emptyChainHead, toEntryHash } from "./entry-hash.ts";
import { verifyRecord } from "./verify-chain.ts";

const { privateKey } = generateKeyPairSync("ed25519");

const toDraft = (ref: string): AuditDraft => ({
	timestamp: "2031-03-04T09:15:02.418273Z",
	user: "ann",
	credential: "none",
	address: null,
	node: "n",
	request_id: null,
	request: "PUT /rules/:ref",
	verb: "update",
	record_kind: "rule",
	record_id: ref,
	ref,
	outcome: "done",
	fields: ["criteria"],
	detail: null,
});
const record = chain(
	Array.from({ length: 9 }, (_, index) => toDraft(`rule${index + 1}`)),
	emptyChainHead,
);
const at = (number: number) => record[number - 1] as AuditEntry;
const checkpointOf = (entry: AuditEntry, key = privateKey) => toCheckpoint(entry, "2031-03-04T10:00:00.000000Z", key);
const problems = async (entries: readonly AuditEntry[], checkpoints = [checkpointOf(at(9))], keys?: readonly string[]) =>
	(await verifyRecord(entries, { checkpoints, keys })).findings.map(({ number, problem }) => `${number}: ${problem}`);
/** The record from an entry on, written anew behind another one. */
const rewritten = (from: number) => [
	...record.slice(0, from - 1),
	...chain(
		record.slice(from - 1).map(({ ref }) => toDraft(`${ref}!`)),
		from === 1 ? emptyChainHead : at(from - 1),
	),
];

test("a record as it was written has no findings", async () => {
	assert.deepEqual(await problems(record), []);
	const report = await verifyRecord(record, { checkpoints: [checkpointOf(at(4))] });
	assert.deepEqual([report.entries, report.first, report.last, report.checkpoints], [9, 1, 9, 1]);
});

test("every member of an entry counts: whichever is changed, the entry is named", async () => {
	const entry = at(5);
	for (const member of Object.keys(entry) as (keyof AuditEntry)[]) {
		if (member === "number") continue;
		const value = member === "fields" ? ["name"] : `${String(entry[member])}0`;
		const changed = record.map((one) => (one === entry ? { ...one, [member]: value } : one));
		const found = await problems(changed);
		assert.ok(
			found.some((problem) => problem.startsWith("5: entry 5 was changed")),
			`${member}: ${found.join("; ")}`,
		);
	}
});

test("an entry that was changed together with its hash is named by the one that follows", async () => {
	const forged = { ...at(5), user: "eve" };
	const changed = record.map((entry) => (entry === at(5) ? { ...forged, hash: toEntryHash(forged) } : entry));
	assert.deepEqual(await problems(changed), ["5: entry 5 was replaced: entry 6 follows another one"]);
});

test("entries that are missing are named: in the middle, at the end, at the beginning", async () => {
	const without = (...numbers: readonly number[]) => record.filter(({ number }) => !numbers.includes(number));
	assert.deepEqual(await problems(without(4)), ["4: entry 4 is missing: removed from the middle of the record"]);
	assert.deepEqual(await problems(without(4, 5, 6)), ["4: entries 4 to 6 are missing: removed from the middle of the record"]);
	assert.match(
		(await problems(without(8, 9))).join(),
		/^8: entries 8 to 9 are missing: removed from the end, although the checkpoint of 2031/,
	);
	assert.deepEqual(await problems(without(1, 2)), ["1: entries 1 to 2 are missing, without a checkpoint that explains it"]);
	assert.deepEqual(await problems(without(1, 2), [checkpointOf(at(2))]), []);
	assert.match((await problems([])).join(), /^1: entries 1 to 9 are missing/);
});

test("a record that was written anew is found by what was signed before, from the last entry that is as it was", async () => {
	assert.deepEqual(await problems(rewritten(5), []), []);
	const found = await problems(rewritten(5), [checkpointOf(at(3)), checkpointOf(at(7))]);
	assert.equal(found.length, 1);
	assert.match(String(found[0]), /^4: entries 4 to 7 were rewritten/);
});

test("a checkpoint counts with its signature, and where keys are named with one of theirs", async () => {
	const forged = { ...checkpointOf(at(9)), hash: String(rewritten(2)[8]?.hash) };
	assert.match((await problems(rewritten(2), [forged])).join(), /^9: the checkpoint of entry 9 was changed: its signature is wrong$/);
	const other = generateKeyPairSync("ed25519").privateKey;
	const known = toKeyId(checkpointOf(at(9)).public_key);
	const foreign = checkpointOf(rewritten(2)[8] as AuditEntry, other);
	assert.deepEqual(await problems(rewritten(2), [foreign]), []);
	assert.match((await problems(rewritten(2), [foreign], [known])).join(), /signed by an unknown key/);
	assert.match((await problems(rewritten(2), [foreign, checkpointOf(at(9))])).join(), /checkpoints of entry 9 disagree/);
	assert.deepEqual(await problems(record, undefined, [known]), []);
});

test.run();
