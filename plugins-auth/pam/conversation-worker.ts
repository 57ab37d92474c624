import { toErrorMessage } from "../../core/contract/index.ts";
import { loadPam } from "./library.ts";
import type { PamMessage, PamRequest } from "./messages.ts";

/**
 * The process that talks to PAM: modules may be slow or crash, and must not take the server with them. It holds one conversation
 * at a time and lives as long as its channel to the server.
 */
process.title = "svc-pam";
// The server decides when it is over: a terminal or service manager signals both at once.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
process.on("disconnect", () => process.exit());

function send(message: PamMessage): void {
	process.send?.(message);
}

try {
	const pam = await loadPam();
	process.on("message", (request: PamRequest) => send({ type: "answer", answer: pam.authenticate(request) }));
	send({ type: "ready" });
} catch (error) {
	send({ type: "missing", message: toErrorMessage(error) });
}
