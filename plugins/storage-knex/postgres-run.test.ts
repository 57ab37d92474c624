import * as assert from "node:assert/strict";
import postgres from "postgres";
import { test } from "uvu";
import { principal, startEngine, type TestEngine } from "../../core/testing/engine/engine.test-support.ts";
import { until } from "../../core/testing/guarantees/until.test-support.ts";
import { postgresTest } from "../../core/testing/services/postgres.test-support.ts";
import { noop } from "../../plugins-runner/noop/index.ts";
import { postgresBus } from "../event-bus-postgres/index.ts";
import { knexStorage } from "./index.ts";
import { administer, dropEmptyDatabase, emptyDatabase } from "./postgres-database.test-support.ts";
import { type PostgresProxy, startProxy } from "./postgres-proxy.test-support.ts";

interface Scope {
	readonly url: string;
	/** Between the engine and its records, and between the engine and its bus. */
	readonly records: PostgresProxy;
	readonly bus: PostgresProxy;
	/** Have so many executions submitted at once, by default of an action that is run; resolves when all have succeeded, to the id of the last. */
	run(count: number, action?: string): Promise<string>;
	/** Resolves when other nodes have been told of an execution, and so of all before. */
	told(id: string): Promise<void>;
}

const withEngine =
	(body: (scope: Scope) => Promise<void>, pool: { readonly pool_size?: number } = {}) =>
	async () => {
		const url = await emptyDatabase();
		const [records, bus] = [await startProxy(url), await startProxy(url)];
		const listener = postgres(url, { max: 1, fetch_types: false, onnotice: () => {} });
		let heard = "";
		let started: TestEngine | undefined;
		try {
			await listener.listen("svc", (payload) => void (heard += payload));
			const { engine } = (started = await startEngine({
				storage: knexStorage({ client: "postgres", url: records.url, ...pool }),
				eventBus: postgresBus({ url: bus.url }),
				runners: [noop()],
				options: { actionrunner: { actions_pool_size: 100 } },
			}));
			let ended = 0;
			// Asked for past the proxies, so that this is not counted.
			const succeeded = "select count(*)::int as count from executions where status = 'succeeded'";
			const run = async (count: number, action = "default.scripted") => {
				ended += count;
				const submit = () => engine.executions.submit({ action, parameters: {} }, principal);
				const submitted = await Promise.all(Array.from({ length: count }, submit));
				await until("all have succeeded", 60, async () => {
					const [found] = await administer<{ readonly count: number }>(url, succeeded);
					return found?.count === ended || undefined;
				});
				return submitted.at(-1)?.entity.id ?? "";
			};
			const told = (id: string) => until("others are told", 60, () => heard.includes(id) || undefined).then(() => {});
			await told(await run(1));
			await body({ url, records, bus, run, told });
		} finally {
			bus.releaseAnswers();
			await started?.stop();
			await listener.end();
			await Promise.all([records.stop(), bus.stop()]);
		}
	};

const runTest = postgresTest(test);

runTest(
	"executions that come together share their round trips and what others are told",
	withEngine(async ({ records, bus, run, told }) => {
		const count = 60;
		const before = bus.statements;
		let commits = 0;
		records.onStatement = (_, text) => {
			if (text.startsWith("commit")) commits += 1;
		};
		const aloneBefore = records.changesAlone;
		await run(count);
		commits += records.changesAlone - aloneBefore;
		assert.ok(commits < 1.5 * count, `${commits} transactions for ${count} executions, of which each writes twice`);
		// Behind all that the others have led to.
		await told(await run(1));
		const sent = bus.statements - before;
		assert.ok(sent < 2 * count, `${sent} statements tell other nodes of ${count} executions`);
		// What needs no run is written once.
		await run(1, "core.noop");
		commits = 0;
		await run(count, "core.noop");
		assert.ok(commits <= count, `${commits} transactions for ${count} executions of core.noop`);
	}),
);

runTest(
	"what others are told is in no transaction of the records, and holds up none of them",
	withEngine(async ({ records, bus, run }) => {
		const isTold = (text: string) => text.includes("pg_notify");
		assert.ok(bus.prepared.some(isTold));
		bus.holdAnswers();
		await run(20);
		assert.equal(records.prepared.some(isTold), false);
	}),
);

runTest(
	"a node with one connection for its records has three in all, however much it has to do",
	withEngine(
		async ({ url, run }) => {
			const counted =
				"select count(*)::int as count from pg_stat_activity where datname = current_database() and application_name like 'svc%'";
			let [most, isRunning] = [0, true];
			const running = run(60).finally(() => {
				isRunning = false;
			});
			while (isRunning) {
				const [found] = await administer<{ readonly count: number }>(url, counted);
				most = Math.max(most, found?.count ?? 0);
			}
			await running;
			assert.equal(most, 3);
		},
		{ pool_size: 1 },
	),
);

runTest(
	"where there is no authentication the end of an execution asks for no token",
	withEngine(async ({ records, run }) => {
		await run(1);
		const ended = records.prepared.filter((text) => text.includes('update "executions"'));
		assert.ok(ended.length > 0);
		assert.deepEqual(
			records.prepared.filter((text) => text.includes('delete from "tokens"')),
			[],
		);
	}),
);

test.after(dropEmptyDatabase);

test.run();
