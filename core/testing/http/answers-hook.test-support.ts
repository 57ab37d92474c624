import { subscribe } from "node:diagnostics_channel";
import { type Answered, answered } from "../../http/answered.ts";
import { toDocument } from "../../http/openapi/document.ts";
import { toDocumentedPath } from "../../http/openapi/operation.ts";
import type { Route } from "../../http/route.ts";
import { DeclaredAnswers } from "./declared-answers.test-support.ts";

// Whoever imports this has every answer of the services in its process compared with what its route declares: another one ends the process.
const known = new WeakMap<Route, DeclaredAnswers>();

function declaredOf(route: Route): DeclaredAnswers {
	let declared = known.get(route);
	if (declared === undefined) {
		declared = new DeclaredAnswers(toDocument([route], "0.0.0"));
		known.set(route, declared);
	}
	return declared;
}

subscribe(answered.name, (message) => {
	const { route, url, reply } = message as Answered;
	// Nobody reads this one: its client has gone.
	if (reply.status === 499) return;
	const problem = declaredOf(route).findProblem({
		method: route.method,
		path: toDocumentedPath(route),
		status: reply.status,
		headers: Object.fromEntries(Object.entries(reply.headers).map(([name, value]) => [name.toLowerCase(), value])),
		text: typeof reply.body === "string" ? reply.body : undefined,
		isSelected: /[?&](?:in|ex)clude_attributes=[^&]/.test(url.search),
	});
	if (problem !== undefined) throw new Error(`an answer is not what its route declares: ${problem}`);
});
