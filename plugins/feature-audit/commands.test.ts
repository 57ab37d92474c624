import "../../core/testing/http/answers-hook.test-support.ts";
import * as assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { test } from "uvu";
import type { Storage } from "../../core/contract/index.ts";
import { CapturedText } from "../../core/testing/cli/captured-text.test-support.ts";
import { withService } from "../../core/testing/http/service.test-support.ts";
import { noop } from "../../plugins-runner/noop/index.ts";
import { runSvc } from "../_shipped/run-svc.ts";

const home = mkdtempSync(join(tmpdir(), "svc-cli-audit-"));
const file = (name: string, text: string) => {
	writeFileSync(join(home, name), text);
	return join(home, name);
};
test.after(() => rmSync(home, { recursive: true }));

async function svc(env: Readonly<Record<string, string>>, ...words: readonly string[]) {
	const [stdout, stderr] = [new CapturedText(), new CapturedText()];
	const exitCode = await runSvc(words, { stdout, stderr, stdin: Readable.from([""]), env, onInterrupt: () => () => {} });
	return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

/** The entry with this number goes from where it is kept. */
const lose = (storage: Storage, number: number) => storage.remove("audit_entry", { where: { number } });

test("the command lists, exports and verifies the record, and names what was done to it", () =>
	withService(
		async ({ ask, urls, token, storage }) => {
			const env = { HOME: home, SVC_API_URL: urls.api, SVC_AUTH_TOKEN: token };
			for (const name of ["one", "two", "three"]) {
				await ask("/v1/actions", { method: "POST", body: JSON.stringify({ name, runner_type: "noop" }) });
			}
			const listed = await svc(env, "audit", "list", "--kind", "action", "--ref", "default.two", "-j");
			assert.deepEqual(
				(JSON.parse(listed.stdout) as { verb: string; user: string }[]).map(({ verb, user }) => [verb, user]),
				[["create", "admin"]],
			);
			const whole = await svc(env, "audit", "verify");
			assert.deepEqual([whole.exitCode, /The audit record is unaltered/.test(whole.stdout)], [0, true], whole.stderr);

			const checkpoint = file("checkpoint.jsonl", (await svc(env, "audit", "checkpoint")).stdout);
			const exported = file("export.jsonl", (await svc(env, "audit", "export")).stdout);
			assert.equal((await svc({ HOME: home }, "audit", "verify", exported, "--checkpoint", checkpoint)).exitCode, 0);
			const forged = file("forged.jsonl", readFileSync(exported, "utf8").replace("default.two", "default.owt"));
			const offline = await svc({ HOME: home }, "audit", "verify", forged);
			assert.equal(offline.exitCode, 1);
			assert.match(offline.stdout, /^entry \d+ was changed: its hash does not match its contents$/m);
			assert.equal((await svc({ HOME: home }, "audit", "verify", file("odd.jsonl", "[]\n"))).exitCode, 2);

			const [last] = await storage().find("audit_entry", { orderBy: [["number", "desc"]], limit: 1 });
			const number = Number(last?.number);
			await lose(storage(), number);
			await storage().remove("audit_checkpoint", { where: {} });
			// Nobody who has the database alone would know.
			assert.equal((await svc(env, "audit", "verify")).exitCode, 0);
			const cut = await svc(env, "audit", "verify", "--checkpoint", checkpoint);
			assert.equal(cut.exitCode, 1);
			assert.ok(cut.stdout.includes(`\nentry ${number} is missing: removed from the end`), cut.stdout);
			await lose(storage(), number - 2);
			const gap = await svc(env, "audit", "verify", "-j");
			assert.equal(gap.exitCode, 1);
			const findings = [{ number: number - 2, problem: `entry ${number - 2} is missing: removed from the middle of the record` }];
			assert.deepEqual((JSON.parse(gap.stdout) as { findings: unknown }).findings, findings);
			const report = (await (await ask("/v1/audit/report")).json()) as { findings: unknown; findings_total: number };
			assert.deepEqual([report.findings, report.findings_total], [findings, 1]);
		},
		{ runners: [noop()] },
	));

test.run();
