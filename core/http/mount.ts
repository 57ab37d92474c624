import type { H3 } from "h3";
import type { Logger } from "../contract/index.ts";
import { settledWithin } from "../lib/wait.ts";
import { alreadyRead } from "./body-reader.ts";
import { findHostProblem } from "./host-header.ts";
import type { Mount } from "./mount-api.ts";
import { createNodeHandler } from "./node-handler.ts";
import { type Reply, replyFault } from "./replies.ts";

const answerGrace = 2_000;
const stopped = replyFault(503, "the service has been stopped");

/** @param createApp called at the first request, as most services are mounted nowhere */
export function createMount(createApp: () => H3, logger: Logger): Mount {
	const answering = new Set<Promise<unknown>>();
	let created: H3 | undefined;
	let handleNode: ReturnType<typeof createNodeHandler> | undefined;
	let isStopped = false;

	const app = () => (created ??= createApp());

	async function track<T>(answer: Promise<T>): Promise<T> {
		answering.add(answer);
		try {
			return await answer;
		} finally {
			answering.delete(answer);
		}
	}

	return {
		async fetch(request, { remoteAddress } = {}) {
			if (isStopped) return toResponse(stopped);
			const host = request.headers.get("host");
			const hostProblem = findHostProblem(host === null ? [] : [host], { isNeeded: false });
			if (hostProblem !== undefined) return toResponse(replyFault(400, hostProblem));
			if (!request.bodyUsed) return track(Promise.resolve(app().request(request, undefined, { remoteAddress })));
			logger.error("request failed", { error: alreadyRead });
			return toResponse(replyFault(500, alreadyRead));
		},
		nodeHandler(request, response) {
			if (isStopped) {
				response.writeHead(stopped.status, stopped.headers).end(stopped.body);
				return;
			}
			handleNode ??= createNodeHandler(app(), logger);
			void track(handleNode(request, response));
		},
		async stop() {
			isStopped = true;
			await settledWithin(Promise.allSettled(answering), answerGrace);
		},
	};
}

function toResponse({ body, ...rest }: Reply): Response {
	return new Response(body, rest);
}
