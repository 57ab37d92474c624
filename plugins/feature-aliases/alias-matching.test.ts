import * as assert from "node:assert/strict";
import { test } from "uvu";
import { matchAliases, matchFormat } from "./alias-matching.ts";
import type { ActionAliasEntity } from "./entities.ts";

const toAlias = (formats: readonly string[]) => ({ ref: "disk.sweep", formats }) as ActionAliasEntity;
const match = (formats: readonly string[], command: string) => matchAliases([toAlias(formats)], command, () => true);

test("a stored format that cannot be compiled matches no command, and hides no other format of its alias", async () => {
	const message = 'command: "sweep /data" matches no action alias';
	await assert.rejects(match(["(sweep"], "sweep /data"), { code: "SVC_INVALID", message });
	assert.equal((await match(["(sweep", "sweep {{ volume }}"], "sweep /data")).representation, "sweep {{ volume }}");
	await assert.rejects(matchFormat(toAlias(["(sweep"]), "(sweep", "sweep /data"), {
		code: "SVC_INVALID",
		message: 'command: "sweep /data" does not match format "(sweep"',
	});
});

test("a search that takes too long is named", async () => {
	const message = `command: "${"a".repeat(60)}" matches no action alias; matching 1 of them took too long (disk.sweep)`;
	await assert.rejects(match(["(a+)+b"], "a".repeat(60)), { code: "SVC_INVALID", message });
});

test.run();
