// What webhooks that start a command are compared with: Node-RED with one flow, without its editor. The package is in a directory
// that the benchmark has made.
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";

const { directory, command } = JSON.parse(process.argv[2]);
const require = createRequire(`${directory}/`);
const RED = require("node-red");
const express = createRequire(require.resolve("node-red"))("express");

const place = { z: "flow", x: 0, y: 0 };
const flows = [
	{ id: "flow", type: "tab", label: "bench", disabled: false },
	{ id: "in", type: "http in", ...place, name: "", url: "/hook", method: "post", upload: false, wires: [["exec"]] },
	// The first of its three outputs is what the command has printed.
	{ id: "exec", type: "exec", ...place, command, addpay: "", append: "", useSpawn: "false", timer: "", wires: [["out"], [], []] },
	{ id: "out", type: "http response", ...place, name: "", statusCode: "", headers: {}, wires: [] },
];
writeFileSync(join(directory, "flows.json"), JSON.stringify(flows));

const app = express();
const server = createServer(app);
RED.init(server, {
	userDir: directory,
	flowFile: "flows.json",
	httpAdminRoot: false,
	httpNodeRoot: "/",
	disableEditor: true,
	logging: { console: { level: "off" } },
	telemetry: { enabled: false },
});
app.use("/", RED.httpNode);
server.listen(0, "127.0.0.1");
await once(server, "listening");
const started = new Promise((resolve) => RED.events.once("flows:started", resolve));
await RED.start();
await started;
process.stdout.write(`${JSON.stringify({ address: `http://127.0.0.1:${server.address().port}` })}\n`);
process.stdin.resume().on("end", async () => {
	await RED.stop();
	process.exit(0);
});
