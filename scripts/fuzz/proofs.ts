import { toText } from "./json-tree.ts";
import { type Finding, type FuzzOptions, runFuzz } from "./run-fuzz.ts";

/** A fault that is put into the service on purpose: if the fuzzer does not find it, it would miss a real one as well. */
export interface Proof {
	readonly planted: string;
	/** What is found, as a sentence. */
	readonly name: string;
	readonly options?: Partial<FuzzOptions>;
	/** Whether the finding is the planted fault, and reduced as far as it must be. */
	isFound(finding: Finding): boolean;
}

function isPlantedCrash({ problem, requests }: Finding): boolean {
	return problem.kind === "crash" && /planted/.test(problem.detail) && requests.some(({ path }) => path.startsWith("/v1/rules"));
}

/** With this seed one of the first requests makes a rule; with more routes it may be a later one. */
const early = { seed: 2, requests: 900, shrinkSeconds: 10 };

export const proofs = {
	error: {
		planted: "error",
		name: "an answer of 500 is found, and reduced to the request that causes it",
		options: { requests: 900 },
		isFound({ problem, isSeenAgain, requests: [request, ...others] }) {
			// Without its pack another action may have the name already.
			const smallest = /^\{"name":"\w+",(?:"pack":"\w+",)?"runner_type":"[\w-]+","tags":\[\{.{0,25}\}\]\}$/;
			const isAction = request?.method === "POST" && request.path.split("?")[0] === "/v1/actions";
			return problem.kind === "error" && isSeenAgain && isAction && others.length === 0 && smallest.test(toText(request.tree ?? null));
		},
	},
	stall: {
		planted: "stall",
		name: "a record that holds up every read of it is found, with the request that stored it",
		// Each try of fewer requests takes as long as the stall.
		options: { requests: 600 },
		isFound({ problem, isSeenAgain, requests }) {
			// On a busy machine the stall looks like a hang.
			const isStall = problem.kind === "stall" || problem.kind === "hang";
			return isStall && isSeenAgain && requests.some(({ method, path }) => method === "PUT" && path.startsWith("/v1/keys"));
		},
	},
	crash: { planted: "crash", name: "an error that ends the process is found", options: early, isFound: isPlantedCrash },
	rejection: {
		planted: "rejection",
		name: "a rejected promise that ends the process is found",
		options: early,
		isFound: isPlantedCrash,
	},
	leak: { planted: "leak", name: "files that stay open are found", isFound: ({ problem }) => problem.kind === "handles" },
	restart: {
		planted: "restart",
		name: "records that prevent the next start are found",
		options: { requests: 60 },
		isFound: ({ problem }) => problem.kind === "restart",
	},
} as const satisfies Readonly<Record<string, Proof>>;

/** Runs the fuzzer until its first finding; undefined if it finds nothing. */
export async function findPlanted({ planted, options = {} }: Proof, print: FuzzOptions["print"]): Promise<Finding | undefined> {
	const limits = { seed: 1, requests: 180, seconds: 150, shrinkSeconds: 60, most: 1 };
	const [finding] = await runFuzz({ ...limits, planted, print, ...options });
	return finding;
}
