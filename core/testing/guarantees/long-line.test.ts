// test-timeout: 600
// test-suite: full
import * as assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { type Digest, digestAnswer, digestEvents, digestOf, open, toFlood } from "./flood.test-support.ts";
import { isFinal } from "./ledger.test-support.ts";
import { readPeak, resetPeak } from "./processes.test-support.ts";
import { type ServiceProcess, startServiceProcess } from "./service-process.test-support.ts";
import { until } from "./until.test-support.ts";

const megabyte = 1_048_576;
/** MiB. */
const mostGrowth = 64;
// LINE_MEGABYTES says how long the line is: twice what the service may grow by, so that one that keeps it fails; 1,024 where time is of no matter.
const size = Number(process.env["LINE_MEGABYTES"] ?? 2 * mostGrowth) * megabyte;
const warmUpSize = 64 * megabyte;

/** Of a character that the token of the run has in none of its forms: what may be the beginning of a secret is looked at as text. */
const toLine = (bytes: number) => `head -c ${bytes} /dev/zero | tr '\\0' '~'`;

/** Run a command that one client follows to its end, and answer what that got. */
async function follow({ api, token, client }: ServiceProcess, cmd: string): Promise<{ readonly id: string; readonly followed: Digest }> {
	const { id } = await client.executions.create({ action: "core.local", parameters: { cmd, timeout: 600 } });
	const followed = await digestEvents(await open(`${api}/stream/v1/executions/${id}/output`, { "x-auth-token": token }));
	const record = await until("the run has ended", 60, async () => {
		const execution = await client.executions.get(id, { query: { include_attributes: "status" } });
		return isFinal(execution) ? execution : undefined;
	});
	assert.equal(record.status, "succeeded");
	return { id, followed };
}

test(`a line of ${size / megabyte} MiB is followed, stored and read, in a server that hardly grows`, async () => {
	const directory = await mkdtemp(join(tmpdir(), "svc-line-"));
	const service = await startServiceProcess({ directory });
	try {
		resetPeak(service.pid);
		await follow(service, toFlood(warmUpSize));
		const before = readPeak(service.pid);
		resetPeak(service.pid);
		const { id, followed } = await follow(service, toLine(size));
		const expected = await digestOf(toLine(size));
		assert.deepEqual(followed, expected);
		const url = `${service.api}/api/v1/executions/${id}/output`;
		const headers = { "x-auth-token": service.token };
		const ask = async (query: string) => (await fetch(`${url}${query}`, { headers })).text();
		assert.deepEqual(await digestAnswer(url, headers), expected);
		assert.equal(await ask("?from_line=2"), "");
		assert.equal(await ask("?find=~y~"), "");
		assert.match(await ask("?find=~~~~"), /^1:~{4096} …\n$/);
		const { total, lines } = JSON.parse(await ask("/lines?lines=5"));
		assert.deepEqual([total, lines.length, lines[0].length, lines[0].text.length], [1, 1, size, 4_096]);
		const growth = Math.round((readPeak(service.pid) - before) / megabyte);
		process.stdout.write(`a long line: memory ${growth} MiB beyond the ${Math.round(before / megabyte)} MiB of lines\n`);
		assert.ok(growth <= mostGrowth, `the server grew by ${growth} MiB`);
	} finally {
		await service.kill();
		await rm(directory, { recursive: true, force: true });
	}
});

test.run();
