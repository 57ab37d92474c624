// Starts the processes of the Procfile and restarts those that end. When stopped, it stops them in reverse order.
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));
const folder = "examples/cluster";
const directory = resolve(process.env.CLUSTER_DIR ?? (process.getuid() === 0 ? "/var/lib/svc-cluster" : "data/cluster"));
const port = Number(process.env.CLUSTER_PORT ?? 9150);
const address = `http://127.0.0.1:${port}`;

const PATH = `${process.env.PATH}:/usr/sbin`;
const looks = { nginx: "command -v nginx", postgresql: "ls /usr/lib/postgresql/*/bin/postgres || command -v postgres" };
const missing = Object.keys(looks).filter((name) => spawnSync("sh", ["-c", looks[name]], { env: { PATH } }).status !== 0);
if (missing.length > 0) {
	console.error(`The cluster needs ${missing.join(" and ")}. Hint: apt install ${missing.join(" ")}`);
	process.exit(1);
}

// If this program runs as root, PostgreSQL runs as another user, who must be able to reach its data directory.
mkdirSync(join(directory, "nginx"), { recursive: true, mode: 0o711 });
const configuration = readFileSync(join(folder, "nginx.conf"), "utf8");
const toPort = (_all, digit) => `127.0.0.1:${port + Number(digit)}`;
writeFileSync(join(directory, "nginx/nginx.conf"), configuration.replaceAll(/127\.0\.0\.1:915(\d)/g, toPort));
const env = {
	...process.env,
	PATH,
	...{ CLUSTER_DIR: directory, CLUSTER_PORT: String(port), SVC_DATA_DIR: join(directory, "svc") },
	DATABASE_URL: `postgres://svc:${keepPassword("postgres-password")}@127.0.0.1:${port + 1}/postgres`,
	SVC_ADMIN_PASSWORD: keepPassword("admin-password"),
};

function keepPassword(name) {
	const file = join(directory, name);
	if (!existsSync(file)) writeFileSync(file, randomBytes(12).toString("hex"), { mode: 0o600 });
	return readFileSync(file, "utf8");
}

const children = new Map();
let stopping = false;
// Ends the other processes even if this one is killed: its input is then closed.
const guard = spawn("sh", ["-c", 'while read -r line; do pids="$line"; done; [ -z "$pids" ] || kill -INT $pids'], {
	stdio: ["pipe", "ignore", "ignore"],
	detached: true,
});

function run(name, command) {
	// In separate process groups, so that Ctrl-C reaches only this process, which stops the others in order.
	const child = spawn("sh", ["-c", command], { env, stdio: ["ignore", "pipe", "pipe"], detached: true });
	for (const stream of [child.stdout, child.stderr])
		createInterface({ input: stream }).on("line", (line) => console.log(`${name} | ${line}`));
	children.set(name, { child, ended: new Promise((done) => child.on("exit", done)) });
	tellGuard();
	child.on("exit", async () => {
		tellGuard();
		if (!stopping) await pause(1_000);
		if (!stopping) run(name, command);
	});
}

function tellGuard() {
	const running = [...children.values()].filter(({ child }) => child.exitCode === null && child.signalCode === null);
	guard.stdin.write(`${running.map(({ child }) => child.pid).join(" ")}\n`);
}

async function ready(url) {
	while (
		!stopping &&
		!(await fetch(`${url}/health/ready`).then(
			({ ok }) => ok,
			() => false,
		))
	)
		await pause(100);
}

async function stop() {
	if (stopping) return;
	stopping = true;
	for (const { child, ended } of [...children.values()].reverse()) {
		if (child.exitCode === null && child.signalCode === null) child.kill("SIGINT");
		await ended;
	}
	guard.stdin.end();
}

process.on("SIGINT", stop).on("SIGTERM", stop).on("SIGHUP", stop);
for (const line of readFileSync(join(folder, "Procfile"), "utf8").trim().split("\n")) {
	const [, name, command] = /^([\w-]+): (.+)$/.exec(line);
	if (!stopping) run(name, command);
	// The first node creates the tables and the administrator.
	if (name === "api-1") await ready(`http://127.0.0.1:${port + 2}`);
}
await ready(address);
if (!stopping) {
	const svc = `npx svc --api-url ${address}/api`;
	console.log(`\nReady at ${address}. In another terminal:\n  ${svc} login admin -p "$(cat ${join(directory, "admin-password")})"`);
	console.log(`  ${svc} run core.local cmd='hostname; sleep 2; date'\nCtrl-C stops all of it.`);
}
