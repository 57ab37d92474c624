import { subscribe } from "node:diagnostics_channel";
import { routes } from "../../../plugins/_shipped/routes.ts";
import { toDocument } from "../../http/openapi/document.ts";
import { toDocumentedPath } from "../../http/openapi/operation.ts";
import { type RouteReplyMessage, responseChannel } from "../../http/request-pipeline.ts";
import type { Route } from "../../http/route.ts";
import { DeclaredAnswers } from "./declared-answers.test-support.ts";

// A test that imports this compares every answer of the services in its process with what the route declares. A difference ends the process.
const byRoute = new WeakMap<Route, DeclaredAnswers>();
/** By the text of the description: each service makes routes of its own, and to compile their schemas takes longer than to start it. */
const byDescription = new Map<string, DeclaredAnswers>();

let shared: DeclaredAnswers | undefined;

/** Answers of the routes that every service has. With one document for all, what many routes answer, such as errors, is compiled once. */
const answersOfAll = () => (shared ??= new DeclaredAnswers(toDocument(routes, "0.0.0")));

/** Whether every service has the route, with this description. */
function isShared({ component, method, path }: Route, description: string): boolean {
	const same = routes.find((one) => one.component === component && one.method === method && one.path === path);
	return same !== undefined && JSON.stringify(toDocument([same], "0.0.0")) === description;
}

function declaredOf(route: Route): DeclaredAnswers {
	let declared = byRoute.get(route);
	if (declared === undefined) {
		const document = toDocument([route], "0.0.0");
		const description = JSON.stringify(document);
		declared = byDescription.get(description) ?? (isShared(route, description) ? answersOfAll() : new DeclaredAnswers(document));
		byDescription.set(description, declared);
		byRoute.set(route, declared);
	}
	return declared;
}

subscribe(responseChannel.name, (message) => {
	const { route, url, reply } = message as RouteReplyMessage;
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
