// What streaming is compared with: h3 with one route that sends the lines of a process to every client, and keeps nothing.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { H3, toNodeHandler } from "h3";
import { serve } from "./serve.mjs";

const { command } = JSON.parse(process.argv[2]);
const encoder = new TextEncoder();
const clients = new Set();
const headers = { "content-type": "text/event-stream", "cache-control": "no-cache" };

const app = new H3().get("/lines", () => {
	let client;
	const body = new ReadableStream({
		start(controller) {
			client = controller;
			clients.add(client);
			client.enqueue(encoder.encode(":\n\n"));
		},
		cancel: () => void clients.delete(client),
	});
	return new Response(body, { headers });
});
function send(text) {
	const bytes = encoder.encode(text);
	for (const client of clients) client.enqueue(bytes);
}

const child = spawn("sh", ["-c", command], { stdio: ["ignore", "pipe", "inherit"] });
createInterface({ input: child.stdout })
	.on("line", (line) => send(`event: line\ndata: ${JSON.stringify({ data: `${line}\n` })}\n\n`))
	.on("close", () => {
		send("event: EOF\ndata:\n\n");
		for (const client of clients) client.close();
		clients.clear();
	});
await serve(toNodeHandler(app));
