import { toErrorMessage } from "../../core/contract/index.ts";
import { loadPam } from "./library.ts";
import type { PamMessage, PamRequest } from "./messages.ts";

/**
 * Entry point of the process that calls PAM. Modules may be slow or crash, which must not affect the server. It carries out one
 * conversation at a time and exits when its channel to the server closes.
 */
process.title = "svc-pam";
// Ignore signals, because a terminal or service manager sends them to both processes. The server decides when this process ends.
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
