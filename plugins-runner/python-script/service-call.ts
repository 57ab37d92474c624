import { stringifyJson, toErrorMessage } from "../../core/contract/index.ts";
import type { PythonIo } from "./engine.ts";

/** Milliseconds that the service may take to answer. */
const answerTime = 60_000;

/** Calls of the service's API with the token that stands in the run's environment. */
export function createServiceCall(environment: Readonly<Record<string, string>>): PythonIo["service"] {
	return async ({ method, path, body }) => {
		try {
			const answer = await fetch(`${environment["SVC_ACTION_API_URL"] ?? ""}${path}`, {
				method,
				headers: { "Content-Type": "application/json", "X-Auth-Token": environment["SVC_ACTION_AUTH_TOKEN"] ?? "" },
				...(body === undefined ? {} : { body: stringifyJson(body) }),
				signal: AbortSignal.timeout(answerTime),
			});
			return { status: answer.status, text: await answer.text() };
		} catch (error) {
			return { status: 0, text: `the service cannot be reached: ${toErrorMessage(error)}` };
		}
	};
}
