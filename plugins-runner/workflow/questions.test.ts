import * as assert from "node:assert/strict";
import { test } from "uvu";
import { type ExecutionEntity, isSvcError } from "../../core/contract/index.ts";
import { until } from "../../core/kernel/nodes/nodes.test-support.ts";
import { principal, startEngine, type TestEngine } from "../../core/testing/engine/engine.test-support.ts";
import { createSharedStorage } from "../../core/testing/engine/shared-storage.test-support.ts";
import { inquirer } from "../inquirer/index.ts";
import { noop } from "../noop/index.ts";
import { workflow } from "./index.ts";
import { asking, below, leads, step, withWorkflows } from "./questions.test-support.ts";

const shapes = {
	one: { ask: asking },
	after: { first: { ...step, ...leads("ask") }, ask: { ...asking, ...leads("last") }, last: step },
	join: { first: { ...step, ...leads("both") }, ask: { ...asking, ...leads("both") }, both: { ...step, join: "all" } },
	items: { first: step, ask: { ...asking, with: { items: "<% list(1, 2, 3) %>", concurrency: 2 } } },
	nested: { first: step, inner: { action: "p.after" } },
};

const run = async (node: TestEngine, name: string) => (await node.submit({}, { action: `p.${name}` })).id;
const resume = ({ engine }: TestEngine, id: string) => engine.executions.setStatus(id, { status: "resuming" }, principal);
const answer = ({ engine }: TestEngine, id: string) => engine.inquiries.respond(id, { continue: true }, principal);
const isPending = ({ status }: ExecutionEntity) => status === "pending";
const questionsOf = async (node: TestEngine, id: string) => (await below(node, id, "core.ask")).filter(isPending).map((one) => one.id);
const refusesResume = async (node: TestEngine, id: string, questions: readonly string[]) =>
	assert.rejects(
		resume(node, id),
		(error) => isSvcError(error, "SVC_CONFLICT") && questions.every((question) => error.message.includes(`"${question}"`)),
	);

test("a workflow that only waits for answers is not resumed, whatever has ended before, and goes on with them", async () => {
	await withWorkflows(shapes, async (node) => {
		for (const name of Object.keys(shapes)) {
			const id = await run(node, name);
			const { log } = await node.settled(id, "paused");
			const questions = await questionsOf(node, id);
			assert.equal(questions.length, name === "items" ? 2 : 1, name);
			await refusesResume(node, id, questions);
			await refusesResume(node, id, questions);
			const { entity } = await node.engine.executions.get(id);
			assert.deepEqual([entity.status, entity.log.length], ["paused", log.length], name);
			for (let open = questions; open.length > 0; open = await questionsOf(node, id)) {
				for (const question of open) await answer(node, question);
				await until(async () => !["running", "pausing", "resuming"].includes((await node.engine.executions.get(id)).entity.status), name);
			}
			assert.equal((await node.settled(id)).status, "succeeded", name);
		}
	});
});

test("a resume that has something to do does it once, and the workflow pauses again", async () => {
	const work = { action: "default.scripted", input: { outcome: "hang" } };
	await withWorkflows({ held: { first: step, ask: asking, work: { ...work, ...leads("last") }, last: step } }, async (node) => {
		const id = await run(node, "held");
		await node.settled(id, "pausing");
		const [working] = await below(node, id, "default.scripted");
		await node.settled(working?.id ?? "", "running");
		await node.engine.executions.setStatus(working?.id ?? "", { status: "succeeded" }, principal);
		await node.settled(id, "paused");
		assert.equal((await below(node, id, "core.noop")).length, 1);
		await resume(node, id);
		const isPausedAgain = ({ log }: ExecutionEntity) => log.filter(({ status }) => status === "paused").length === 2;
		await until(async () => isPausedAgain((await node.engine.executions.get(id)).entity), "it pauses again");
		assert.equal((await below(node, id, "core.noop")).length, 2);
		const statuses = (await node.engine.executions.get(id)).entity.log.map(({ status }) => status);
		assert.deepEqual(statuses.slice(-5), ["paused", "resuming", "running", "pausing", "paused"]);
		const questions = await questionsOf(node, id);
		await refusesResume(node, id, questions);
		for (const question of questions) await answer(node, question);
		assert.equal((await node.settled(id)).status, "succeeded");
	});
});

test("a resume that races with an answer, at this node or another one, is refused or does nothing, and the workflow ends once", async () => {
	const { createDoor, release } = createSharedStorage();
	const [here, there] = [createDoor(), createDoor()];
	await withWorkflows(
		shapes,
		async (node) => {
			const other = await startEngine({
				...{ storage: there.plugin, eventBus: there.eventBus },
				runners: [workflow(), inquirer(), noop()],
			});
			try {
				for (const [name, resumers] of Object.keys(shapes).flatMap((name) => [[name, [node]] as const, [name, [other, node]] as const])) {
					const id = await run(node, name);
					await until(async () => (await node.engine.executions.get(id)).entity.status === "paused", name);
					for (let open = await questionsOf(node, id); open.length > 0; open = await questionsOf(node, id)) {
						if (resumers.length > 1) await refusesResume(other, id, open);
						const [answered, ...resumed] = await Promise.allSettled([
							answer(node, open[0] ?? ""),
							...resumers.map((resumer) => resume(resumer, id)),
						]);
						assert.equal(answered.status, "fulfilled", name);
						for (const one of resumed) {
							const isRefused =
								one.status === "rejected" && (isSvcError(one.reason, "SVC_CONFLICT") || isSvcError(one.reason, "SVC_INVALID"));
							assert.ok(one.status === "fulfilled" || isRefused, `${name}: ${one.status === "rejected" && one.reason}`);
						}
						await until(
							async () => !["running", "pausing", "resuming"].includes((await node.engine.executions.get(id)).entity.status),
							name,
						);
					}
					const { status, log } = await node.settled(id);
					assert.equal(status, "succeeded", name);
					// Each answer is at most one round of pausing and resuming.
					assert.ok(log.length < 25, `${name}: ${log.map((entry) => entry.status).join()}`);
				}
			} finally {
				await other.stop();
			}
		},
		{ storage: here.plugin, eventBus: here.eventBus },
	);
	await release();
});

test("a person's pause of a workflow without open questions is resumed", async () => {
	const work = { action: "default.scripted", input: { outcome: "hang" } };
	await withWorkflows({ plain: { work: { ...work, ...leads("last") }, last: step } }, async (node) => {
		const id = await run(node, "plain");
		await until(async () => (await below(node, id, "default.scripted"))[0]?.status === "running", "it works");
		const [working] = await below(node, id, "default.scripted");
		await node.engine.executions.setStatus(id, { status: "pausing" }, principal);
		await node.engine.executions.setStatus(working?.id ?? "", { status: "succeeded" }, principal);
		await node.settled(id, "paused");
		await resume(node, id);
		assert.equal((await node.settled(id)).status, "succeeded");
	});
});

test("the journal of a paused workflow is read once for each pause, however often its questions are asked for", async () => {
	const shared = createSharedStorage();
	let reads = 0;
	const door = shared.createDoor((method, [kind]) => {
		if (method === "find" && kind === "journal_entry") reads += 1;
	});
	const two = { first: { ...asking, ...leads("second") }, second: asking };
	try {
		await withWorkflows(
			{ two },
			async (node) => {
				const id = await run(node, "two");
				for (const task of ["first", "second"]) {
					const paused = await node.settled(id, "paused");
					const questions = await questionsOf(node, id);
					assert.equal(questions.length, 1, task);
					reads = 0;
					for (let round = 0; round < 3; round++) assert.deepEqual(await node.engine.executions.awaitedQuestions(paused), questions);
					assert.equal(reads, 1, task);
					await refusesResume(node, id, questions);
					for (const question of questions) await answer(node, question);
					if (task === "first") await until(async () => (await questionsOf(node, id)).length > 0, "the next question is asked");
				}
				assert.equal((await node.settled(id)).status, "succeeded");
			},
			{ storage: door.plugin },
		);
	} finally {
		await shared.release();
	}
});

test.run();
