import * as assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import type { AuditedRequest } from "../../core/http/audit-hook.ts";
import { anonymousPrincipal } from "../../core/http/authenticate.ts";
import type { HttpFeature } from "../../core/http/http-feature.ts";
import { getSystemClock, toTimestamp } from "../../core/kernel/basics/clock.ts";
import { type TestNode, withNodes } from "../../core/kernel/nodes/nodes.test-support.ts";
import { createMemoryLogger, createOptions } from "../../core/testing/http/fake-engine.test-support.ts";
import { noop } from "../../plugins-runner/noop/index.ts";
import { routes } from "../_shipped/routes.ts";
import { memoryStorage } from "../storage-memory/index.ts";
import { AuditChain } from "./audit-chain.ts";
import { Checkpoints } from "./checkpoints.ts";
import { truncateAuditLog } from "./index.ts";
import { verifyRecord } from "./verify-chain.ts";

const route = routes.find(({ method, path }) => method === "POST" && path === "/policies") as AuditedRequest["route"];
const request: AuditedRequest = {
	route,
	principal: { ...anonymousPrincipal, username: "ann" },
	path: {},
	headers: new Headers(),
	requestId: "r",
	peerAddress: () => "192.0.2.1",
};
const done = { status: 200, headers: {}, body: null };

/** As the API has somebody make an action. */
const make = ({ engine }: TestNode, name: string) =>
	(engine.features["audit"] as HttpFeature).auditHook?.record(request, async () => {
		await engine.actions.create({ name, runner_type: "noop" });
		return done;
	});

test("nodes that change things at the same time write one chain, with an entry for each change", () =>
	withNodes(async ({ startNode, storage }) => {
		const runners = [noop()];
		const nodes = [await startNode({ runners }), await startNode({ runners })];
		const names = Array.from({ length: 24 }, (_, index) => `made${index}`);
		await Promise.all(names.map((name, index) => make(nodes[index % 2] as TestNode, name)));
		const entries = await storage.find("audit_entry", { orderBy: [["number", "asc"]] });
		assert.deepEqual((await verifyRecord(entries, { checkpoints: [] })).findings, []);
		assert.deepEqual(entries.map(({ ref }) => ref).sort(), names.map((name) => `default.${name}`).sort());
		assert.equal(new Set(entries.map(({ node }) => node)).size, 2);
		// What is there already is refused as before, and leaves no entry.
		await assert.rejects(async () => make(nodes[0] as TestNode, "made0"), { code: "SVC_CONFLICT" });
		assert.equal(await storage.count("audit_entry", {}), entries.length);
	}));

test("the beginning goes when it is old enough; what is left follows what was signed, and goes on", async () => {
	const storage = memoryStorage().create();
	const clock = getSystemClock();
	const logger = createMemoryLogger();
	const directory = await mkdtemp(join(tmpdir(), "svc-audit-"));
	try {
		const chain = new AuditChain({ storage, clock, onAppended: () => {} });
		const { audit: options } = createOptions({});
		const checkpoints = new Checkpoints({ storage, clock, logger, chain, options, keyPath: `${directory}/key.pem` });
		const nothing = { record_kind: null, record_id: null, ref: null, fields: [], detail: null };
		const of = (days: number) => ({
			...{ user: "ann", credential: "none", address: null, node: "n", request_id: null, request: "r", verb: "update", outcome: "done" },
			...nothing,
			timestamp: toTimestamp(clock.now() - days * 86_400_000_000),
		});
		await chain.append([of(9), of(8), of(7), of(2), of(1)]);
		const { signal } = new AbortController();
		await truncateAuditLog({ storage, clock, logger, checkpoints, days: 5 }, signal);
		const read = () => storage.find("audit_entry", { orderBy: [["number", "asc"]] });
		const numbers = async () => (await read()).map(({ number }) => number);
		const findings = async () => (await verifyRecord(await read(), { checkpoints: await storage.find("audit_checkpoint", {}) })).findings;
		assert.deepEqual(await numbers(), [4, 5]);
		assert.deepEqual(await findings(), []);
		await chain.append([of(0)]);
		await storage.update("audit_entry", (await read())[0]?.id ?? "", { timestamp: toTimestamp(0) });
		assert.match(JSON.stringify(await findings()), /entry 4 was changed/);
		await truncateAuditLog({ storage, clock, logger, checkpoints, days: 0 }, signal);
		assert.deepEqual(await numbers(), [4, 5, 6]);
	} finally {
		await rm(directory, { recursive: true });
	}
});

test.run();
