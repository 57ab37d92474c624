import { parentPort } from "node:worker_threads";
import { type DefinitionFinding, type DefinitionServices, isSvcError, SvcError, toErrorMessage } from "../../core/contract/index.ts";
import { type DefinitionReply, type DefinitionRequest, type DefinitionTask, type FindCall, keyOfCall } from "./messages.ts";

type Inspection = (text: string, tools: DefinitionServices) => Promise<readonly DefinitionFinding[]>;

/** Functions with which a runner reads its definitions. */
export interface DefinitionReader {
	readonly inspect: Inspection;
	/** Inspects a definition immediately before it runs. */
	readonly inspectForRun: Inspection;
	readonly read: (text: string) => unknown;
	readonly graph: (text: string) => unknown;
}

/** Runs in the thread of a `DefinitionThread`: receives requests and answers each. */
export function serveDefinitions(reader: DefinitionReader): void {
	parentPort?.on("message", async (request: DefinitionRequest) => {
		parentPort?.postMessage(await answer(request, reader));
	});
}

async function answer({ task, text, known }: DefinitionRequest, reader: DefinitionReader): Promise<DefinitionReply> {
	const finds = new Map<string, FindCall>();
	const refs = new Set<string>();
	const tools: DefinitionServices = {
		expressions: {
			find(value, language, functions) {
				const call = { value, language, functions };
				const key = keyOfCall(call);
				const uses = known.uses.get(key);
				if (uses === undefined) finds.set(key, call);
				return uses ?? [];
			},
			evaluate: () => Promise.reject(new SvcError("SVC_INVALID", "inspecting a definition must not evaluate expressions")),
		},
		...(known.findsActions && {
			findAction: async (ref: string) => {
				if (!known.actions.has(ref)) refs.add(ref);
				return known.actions.get(ref);
			},
		}),
	};
	try {
		const result = await carryOut(task, text, { reader, tools });
		if (finds.size === 0 && refs.size === 0) return { kind: "result", result };
		return { kind: "missing", missing: { finds: [...finds.values()], refs: [...refs] } };
	} catch (error) {
		const isOurs = isSvcError(error);
		return { kind: "error", code: isOurs ? error.code : undefined, message: toErrorMessage(error), facts: isOurs ? error.facts : {} };
	}
}

function carryOut(task: DefinitionTask, text: string, { reader, tools }: { reader: DefinitionReader; tools: DefinitionServices }): unknown {
	return task === "inspect" || task === "inspectForRun" ? reader[task](text, tools) : reader[task](text);
}
