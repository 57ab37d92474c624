import type { ExecutionEntity } from "../../contract/index.ts";
import { fromTimestamp, toTimestamp } from "../clock.ts";
import { applyTransition, toStatusPatch } from "../transition.ts";
import type { InquiryParts } from "./inquiries.ts";
import { inquirerName, toInquiry } from "./inquiry.ts";

export interface InquirySweepParts extends InquiryParts {
	/** Whether questions end at all without an answer (`garbagecollector.purge_inquiries`). */
	readonly enabled: boolean;
	/** Seconds from one sweep to the next. */
	readonly interval: number;
}

/** Ends inquiries whose time has passed, as timed out. Several nodes may do it at once: one of them ends each. */
export interface InquirySweep {
	start(): void;
	/** Look once; how many were ended. */
	sweep(): Promise<number>;
	stop(): Promise<void>;
}

const minute = 60_000_000;
const pageSize = 500;

export function createInquirySweep(parts: InquirySweepParts): InquirySweep {
	const { storage, clock, logger } = parts;
	let timer: NodeJS.Timeout | undefined;
	let working: Promise<void> = Promise.resolve();
	let stopped = false;

	/** Whole minutes count, and the last one is given. */
	function isOver(execution: ExecutionEntity): boolean {
		const { ttl } = toInquiry(execution);
		return ttl > 0 && Math.floor((clock.now() - fromTimestamp(execution.start_timestamp)) / minute) > ttl;
	}

	async function sweep(): Promise<number> {
		let count = 0;
		for (let after = ""; !stopped; ) {
			const where = { runner_name: inquirerName, status: "pending", id: { gt: after } } as const;
			const page = await storage.find("execution", { where, limit: pageSize });
			for (const execution of page.filter(isOver)) if (await end(execution)) count += 1;
			const last = page.at(-1);
			if (last === undefined || page.length < pageSize) break;
			after = last.id;
		}
		return count;
	}

	async function end(execution: ExecutionEntity): Promise<boolean> {
		const patch = toStatusPatch(execution, "timeout", toTimestamp(clock.now()));
		if ((await applyTransition(parts, execution, patch, { status: "pending" })) === undefined) return false;
		logger.info("inquiry timed out", { execution_id: execution.id });
		return true;
	}

	function plan(): void {
		if (stopped) return;
		timer = setTimeout(
			() => {
				working = sweep()
					.then(() => undefined)
					.catch((error: unknown) => logger.error("inquiries could not be looked through", { error }))
					.finally(plan);
			},
			Math.min(parts.interval * 1_000, 2_147_483_647),
		);
	}

	return {
		start() {
			if (parts.enabled) plan();
		},
		sweep,
		async stop() {
			stopped = true;
			clearTimeout(timer);
			await working;
		},
	};
}
