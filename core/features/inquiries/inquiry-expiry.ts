import type { ExecutionEntity } from "../../contract/index.ts";
import { fromTimestamp, toTimestamp } from "../../kernel/basics/clock.ts";
import { toStatusPatch } from "../../kernel/executions/status.ts";
import { applyTransition } from "../../kernel/executions/transition.ts";
import { inquiryRunnerType } from "../../language/inquiry-schema.ts";
import type { InquiryEndDependencies } from "./inquiries.ts";
import { toInquiry } from "./inquiry.ts";

const minute = 60_000_000;
const pageSize = 500;

/**
 * Ends expired inquiries with status `timeout` until the signal aborts, and returns how many it ended. Several nodes may run it
 * concurrently; only one of them ends each inquiry.
 */
export async function endExpiredInquiries(parts: InquiryEndDependencies, signal: AbortSignal): Promise<number> {
	const { storage, clock } = parts;
	let count = 0;
	for (let after = ""; !signal.aborted; ) {
		const where = { runner_name: inquiryRunnerType, status: "pending", id: { gt: after } } as const;
		const page = await storage.find("execution", { where, limit: pageSize });
		for (const execution of page) if (isOver(execution, clock.now()) && (await end(execution, parts))) count += 1;
		const last = page.at(-1);
		if (last === undefined || page.length < pageSize) break;
		after = last.id;
	}
	return count;
}

/** Returns true from `ttl + 1` minutes after the start, because only whole minutes count. With a `ttl` of 0 or less, inquiries never expire. */
function isOver(execution: ExecutionEntity, now: number): boolean {
	const { ttl } = toInquiry(execution);
	return ttl > 0 && Math.floor((now - fromTimestamp(execution.start_timestamp)) / minute) > ttl;
}

async function end(execution: ExecutionEntity, parts: InquiryEndDependencies): Promise<boolean> {
	const patch = toStatusPatch(execution, "timeout", toTimestamp(parts.clock.now()));
	if ((await applyTransition(parts, execution, patch, { status: "pending" })) === undefined) return false;
	parts.logger.info("inquiry timed out", { execution_id: execution.id });
	return true;
}
