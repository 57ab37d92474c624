import * as assert from "node:assert/strict";
import {
	type ActionEntity,
	type ExecutionEntity,
	isSvcError,
	type OutputChunkEntity,
	type SvcErrorCode,
	type TokenEntity,
	type TraceEntity,
} from "../../contract/index.ts";

let lastId = 0;

/** Returns a new id, which sorts after all earlier ones. */
export function nextId(): string {
	lastId += 1;
	return lastId.toString(16).padStart(24, "0");
}

export function createExecution(fields: Partial<ExecutionEntity> = {}): ExecutionEntity {
	return {
		id: nextId(),
		liveaction_id: nextId(),
		status: "requested",
		action_ref: "core.local",
		runner_name: "local-shell-cmd",
		user: "admin",
		author: null,
		scopes: null,
		parent_id: null,
		trace_id: "f".repeat(24),
		rule_name: null,
		trigger_name: null,
		trigger_type_name: null,
		trigger_instance_id: null,
		rule_snapshot_id: null,
		start_timestamp: "2030-01-02T03:04:05.678901Z",
		end_timestamp: null,
		elapsed_seconds: null,
		due_timestamp: "2030-01-02T03:04:05.678901Z",
		delay: null,
		attempt: 0,
		owner: null,
		fence: null,
		lease_expires_at: null,
		snapshot_id: "e".repeat(24),
		result_size: null,
		log: [{ status: "requested", timestamp: "2030-01-02T03:04:05.678901Z" }],
		context: { user: "admin" },
		notify: null,
		callback: null,
		runner_info: null,
		run_state: null,
		known_secrets: null,
		takes_up: null,
		stirred: null,
		followed_by: null,
		token_hash: null,
		queue: null,
		parameters: { cmd: "echo hi" },
		result: null,
		...fields,
	};
}

export function createChunk(executionId: string, sequence: number, data = "line\n"): OutputChunkEntity {
	const timestamp = "2030-01-02T03:04:05.678901Z";
	return {
		id: nextId(),
		execution_id: executionId,
		sequence,
		output_type: "stdout",
		timestamp,
		data,
		secret_spans: null,
		lines_before: null,
		own_lines_before: null,
	};
}

export function createTrace(tag: string, fields: Partial<TraceEntity> = {}): TraceEntity {
	return { id: nextId(), trace_tag: tag, start_timestamp: "2030-01-02T03:04:05.678901Z", traceparent: null, ...fields };
}

export function createAction(name: string, fields: Partial<ActionEntity> = {}): ActionEntity {
	return {
		id: nextId(),
		ref: `examples.${name}`,
		pack: "examples",
		name,
		description: "",
		runner_type: "local-shell-cmd",
		entry_point: "",
		enabled: true,
		metadata_file: null,
		parameters: {},
		output_schema: {},
		tags: [],
		notify: {},
		content: null,
		...fields,
	};
}

export function createToken(hash: string, fields: Partial<TokenEntity> = {}): TokenEntity {
	return {
		id: nextId(),
		token_hash: hash,
		user: "admin",
		expiry: "2030-01-03T03:04:05.678901Z",
		service: false,
		created_at: "2030-01-02T03:04:05.678901Z",
		metadata: {},
		subject: null,
		session: null,
		...fields,
	};
}

/** Returns the ids of entities, in their order. */
export function idsOf(entities: readonly { readonly id: string }[]): string[] {
	return entities.map(({ id }) => id);
}

export async function assertRejectsWith(
	code: SvcErrorCode,
	promise: Promise<unknown>,
	facts: Readonly<Record<string, unknown>> = {},
): Promise<void> {
	await assert.rejects(promise, (error) => {
		assert.ok(isSvcError(error, code), `expected ${code}, got ${String(error)}`);
		for (const [name, value] of Object.entries(facts)) assert.equal(error.facts[name], value);
		return true;
	});
}
