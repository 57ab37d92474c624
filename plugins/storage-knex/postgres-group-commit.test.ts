import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError, type Storage } from "../../core/contract/index.ts";
import { postgresTest } from "../../core/testing/services/postgres.test-support.ts";
import { createAction, createExecution, createTrace, nextId } from "../../core/testing/storage/fixtures.ts";
import { administer, dropEmptyDatabase, emptyDatabase, startPostgresStorage } from "./postgres-database.test-support.ts";
import { startProxy } from "./postgres-proxy.test-support.ts";

const groupTest = postgresTest(test);

interface Scope {
	readonly url: string;
	readonly storage: Storage;
	/** Statements since the start. */
	readonly seen: string[];
	readonly proxy: Awaited<ReturnType<typeof startProxy>>;
}

const withStorage = (run: (scope: Scope) => Promise<void>) => async () => {
	const url = await emptyDatabase();
	const proxy = await startProxy(url);
	const storage = await startPostgresStorage({ url: proxy.url });
	const seen: string[] = [];
	proxy.onStatement = (_, text) => void seen.push(text.split("\0")[0] ?? "");
	try {
		await run({ url, storage, seen, proxy });
	} finally {
		await storage.stop?.();
		await proxy.stop();
	}
};

const countCommits = (seen: readonly string[]) => seen.filter((text) => text === "commit").length;

groupTest(
	"writes that are asked for together share a transaction",
	withStorage(async ({ storage, seen }) => {
		const executions = Array.from({ length: 10 }, () => createExecution());
		await Promise.all(executions.map((execution) => storage.insert("execution", [execution])));
		assert.equal(countCommits(seen), 1);
		const updated = await Promise.all(executions.map(({ id }) => storage.update("execution", id, { status: "scheduled" })));
		assert.equal(countCommits(seen), 2);
		assert.deepEqual(
			updated.map((entity) => entity?.id),
			executions.map(({ id }) => id),
		);
	}),
);

groupTest(
	"a big burst is cut into several transactions",
	withStorage(async ({ storage, seen }) => {
		await Promise.all(Array.from({ length: 120 }, (_, index) => storage.insert("trace", [createTrace(`${index}`)])));
		assert.ok(countCommits(seen) >= 3);
		assert.equal(await storage.count("trace", {}), 120);
		const before = countCommits(seen);
		await Promise.all(
			["a", "b", "c"].map((letter) => storage.insert("execution", [createExecution({ result: { text: letter.repeat(800_000) } })])),
		);
		assert.ok(countCommits(seen) <= before + 1);
		assert.equal(await storage.count("execution", {}), 3);
	}),
);

groupTest(
	"a write that fails is taken out of its group and fails alone, naming what is in its way",
	withStorage(async ({ storage, seen }) => {
		const owner = createExecution();
		await storage.insert("execution", [owner]);
		const good = Array.from({ length: 8 }, () => createExecution());
		const stale = { update: "execution", id: owner.id, patch: { status: "failed" }, expected: { status: "running" } } as const;
		const settled = await Promise.allSettled([
			...good.slice(0, 4).map((execution) => storage.insert("execution", [execution])),
			storage.insert("execution", [createExecution({ liveaction_id: owner.liveaction_id })]),
			storage.write([{ insert: "trace", entities: [createTrace("lost")] }, stale]),
			...good.slice(4).map((execution) => storage.insert("execution", [execution])),
		]);
		for (const [index, outcome] of settled.entries()) {
			assert.equal(outcome.status, index === 4 || index === 5 ? "rejected" : "fulfilled");
			if (outcome.status === "fulfilled") continue;
			assert.ok(isSvcError(outcome.reason, "SVC_CONFLICT"));
			assert.equal(outcome.reason.facts["conflict_id"], owner.id);
		}
		assert.equal(await storage.count("execution", {}), 9);
		assert.equal(await storage.count("trace", {}), 0);
		// Together, without the first that failed, without both; then the compound one of the two by itself.
		assert.equal(countCommits(seen), 4);
	}),
);

groupTest(
	"of many writes of which most fail, each has its own end",
	withStorage(async ({ storage }) => {
		const rivals = Array.from({ length: 30 }, () => createExecution({ liveaction_id: "one" }));
		const settled = await Promise.allSettled(
			rivals.flatMap((rival) => [storage.insert("execution", [rival]), storage.insert("trace", [createTrace("other")])]),
		);
		const refused = settled.filter((outcome) => outcome.status === "rejected");
		assert.equal(refused.length, 29);
		const [owner] = await storage.find("execution", {});
		for (const { reason } of refused) assert.ok(isSvcError(reason, "SVC_CONFLICT") && reason.facts["conflict_id"] === owner?.id);
		assert.equal(await storage.count("trace", {}), 30);
	}),
);

groupTest(
	"a group that collides with others is run again one by one, unseen",
	withStorage(async ({ url, storage }) => {
		await administer(
			url,
			`create sequence attempts; create function collide() returns trigger language plpgsql as $$
			begin if nextval('attempts') % 4 = 1 then raise exception using errcode = '40001'; end if; return new; end $$;
			create trigger collide before insert on traces for each row execute function collide()`,
		);
		try {
			await Promise.all(Array.from({ length: 20 }, () => storage.insert("trace", [createTrace("a")])));
			assert.equal(await storage.count("trace", {}), 20);
		} finally {
			await administer(url, "drop function collide cascade; drop sequence attempts");
		}
	}),
);

groupTest(
	"a group that loses its connection is unavailable as a whole and is not run again",
	withStorage(async ({ storage, proxy }) => {
		const insertAll = () => Promise.allSettled(Array.from({ length: 10 }, () => storage.insert("trace", [createTrace("a")])));
		await insertAll();
		for (const lostAt of ["insert", "commit"]) {
			const before = await storage.count("trace", {});
			let inserts = 0;
			proxy.onStatement = (_, text) => {
				if (lostAt === "commit" && text === "commit\0") proxy.swallowAnswers();
				else if (text !== "commit\0" && text !== "begin\0" && lostAt === "insert" && ++inserts === 5) proxy.cut();
			};
			for (const outcome of await insertAll()) assert.ok(outcome.status === "rejected" && isSvcError(outcome.reason, "SVC_UNAVAILABLE"));
			proxy.onStatement = () => {};
			proxy.thaw();
			assert.equal(await storage.count("trace", {}), before + (lostAt === "commit" ? 10 : 0));
		}
	}),
);

groupTest(
	"what several nodes change at once, and removals, go each by itself",
	withStorage(async ({ storage, seen }) => {
		await storage.insert("action", [createAction("a")]);
		await Promise.all([
			...["b", "c"].map((name) => storage.insert("action", [createAction(name)])),
			...["a", "b"].map((trace_tag) => storage.remove("trace", { where: { trace_tag } })),
		]);
		assert.equal(countCommits(seen), 0);
	}),
);

groupTest("writes asked for before stop are done, those after it are refused", async () => {
	const url = await emptyDatabase();
	const storage = await startPostgresStorage({ url, pool_size: 2 });
	const inserted = Promise.all(Array.from({ length: 300 }, () => storage.insert("trace", [createTrace("a", { id: nextId() })])));
	const stopped = storage.stop?.();
	await assert.rejects(storage.insert("trace", [createTrace("late")]), (error) => isSvcError(error, "SVC_UNAVAILABLE"));
	await Promise.all([inserted, stopped]);
	assert.deepEqual(await administer(url, "select count(*)::int as count from traces"), [{ count: 300 }]);
});

test.after(dropEmptyDatabase);

test.run();
