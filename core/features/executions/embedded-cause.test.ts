import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { RuleSnapshotEntity } from "../../contract/index.ts";
import type { ExecutionView } from "../../kernel/executions/executions-api.ts";
import { Redactor } from "../../secrets/redactor.ts";
import { triggerRefs } from "../triggers/trigger-type-refs-exports.ts";
import { toEmbeddedCause } from "./embedded-cause-exports.ts";

test("a secret of the execution that reaches across the end of a shortened title is not shown in part", () => {
	const secret = "hunter2-very-secret-token-0123456789";
	// The title has 120 characters, so it would end within the secret.
	const parameters = { url: `${"n".repeat(100)}${secret}tail` };
	const trigger = { ref: "core.hook", name: "hook", pack: "core", type: triggerRefs.webhook, parameters };
	const rule = { ref: "default.hooked", name: "hooked", pack: "default", trigger: "core.hook", action_parameters: {} };
	const snapshot = { rule, trigger, trigger_type: { parameters_schema: {} } } as unknown as RuleSnapshotEntity;
	const view = {
		entity: {},
		secrets: new Redactor([secret]),
		snapshot: { action: { parameters: {} }, runner: { runner_parameters: {} } },
	};
	const visible = { rule: true, trigger: true, trigger_type: true };
	const cause = toEmbeddedCause(view as unknown as ExecutionView, { snapshot, instance: undefined, visible }, { masked: true });
	assert.ok(!JSON.stringify(cause).includes("hunter2"), JSON.stringify(cause));
	assert.match(String(cause.trigger?.["title"]), /^webhook n+/);
});

test.run();
