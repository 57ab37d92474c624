import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { until } from "../guarantees/until.test-support.ts";
import { startServerProcess } from "../services/server-process.test-support.ts";

/** nginx in front of a service, below a path. */
export interface Nginx {
	/** Where the page is; ends with a slash. */
	readonly url: string;
	stop(): Promise<void>;
}

interface NginxOptions {
	readonly port: number;
	/** Address of the service. */
	readonly target: string;
	/** Begins and ends with a slash. */
	readonly path: string;
	/** Whom it names as the one who has signed in. Default: nobody. */
	readonly user?: string;
}

/** Start nginx with one location that leads to the service. */
export async function startNginx({ port, target, path, user = "" }: NginxOptions): Promise<Nginx> {
	const directory = await mkdtemp(join(tmpdir(), "svc-nginx-"));
	await chmod(directory, 0o755);
	const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${directory}/${kind};`);
	const location = [
		`proxy_pass ${target}/;`,
		"proxy_http_version 1.1; proxy_buffering off;",
		'proxy_set_header Host $http_host; proxy_set_header Connection "";',
		`proxy_set_header X-Forwarded-For $remote_addr; proxy_set_header X-Forwarded-User "${user}";`,
	];
	const server = `server { listen 127.0.0.1:${port}; location ${path} { ${location.join(" ")} } }`;
	const main = `${userInfo().uid === 0 ? "user root;" : ""} daemon off; pid ${directory}/pid; worker_processes 1; error_log stderr notice; events {}`;
	const file = join(directory, "nginx.conf");
	await writeFile(file, `${main} http { ${temporary.join(" ")} access_log off; ${server} }\n`);
	const child = await startServerProcess("nginx", ["-p", directory, "-c", file, "-e", "stderr"], { ready: /start worker process \d/ });
	const url = `http://127.0.0.1:${port}${path}`;
	await until("an answer of nginx", 20, () => fetch(url).catch(() => undefined));
	return {
		url,
		async stop() {
			await child.end("SIGTERM");
			await rm(directory, { recursive: true, force: true });
		},
	};
}
