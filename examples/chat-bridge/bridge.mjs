// A chat in this terminal: each line is a command, and messages are printed. To connect another chat, replace `say`
// and the source of the lines.
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "svc-automation/client";

const client = createClient({ apiUrl: process.env.SVC_API_URL, apiKey: process.env.SVC_API_KEY });
const route = "chatops";
const channel = "terminal";
const user = process.env.USER ?? "somebody";

function say(text, to = user) {
	console.log(`${to}: ${text}`);
}

/** Prints the announcements of the service, such as the results of commands. */
async function listen() {
	for (;;) {
		try {
			for await (const { data } of client.stream({ events: `svc.announcement__${route}` })) {
				if (data.payload.channel === channel) say(data.payload.message, data.payload.user);
			}
		} catch (error) {
			if (error.code !== "SVC_UNAVAILABLE") throw error;
		}
		await delay(1_000);
	}
}

async function read(command) {
	try {
		const request = { command, user, source_channel: channel, notification_route: route };
		for (const { message, execution } of await client.aliases.matchAndExecute(request)) say(message ?? `started ${execution.id}`);
	} catch (error) {
		say(error.message);
	}
}

listen().catch((error) => {
	console.error(error.message);
	process.exit(1);
});
for await (const line of createInterface({ input: process.stdin })) if (line.trim() !== "") await read(line);
