import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build, serve } from "vitepress";
import { stagePages } from "./stage-pages.ts";

const usage = `npm run docs                        builds the documentation site in build/site and serves it on this machine
npm run docs -- --build             only builds it
npm run docs -- --base /svc/docs/   for a service whose API a proxy serves below /svc
npm run docs -- --port 8000         serves it on another port
`;

/** Directory of the pages from which the site is built. It is inside the project, so that packages resolve. */
const source = "build/site-source";
const site = "build/site";

/** Writes the source of the site, with the configuration of VitePress. */
function writeSource(base: string): void {
	stagePages(source);
	const configDirectory = join(source, ".vitepress");
	mkdirSync(configDirectory);
	const config = `import { siteConfig } from "../../../scripts/site/site-config.ts";
export default { ...siteConfig, ...${JSON.stringify({ base, outDir: resolve(site) })} };
`;
	writeFileSync(join(configDirectory, "config.ts"), config);
}

async function main(): Promise<void> {
	const options = {
		build: { type: "boolean" },
		base: { type: "string", default: "/docs/" },
		port: { type: "string", default: "4173" },
		help: { type: "boolean" },
	} as const;
	const { values } = parseArgs({ options });
	const { base, port } = values;
	if (values.help === true) {
		process.stdout.write(usage);
		return;
	}
	if (!/^\/(?:[\w.~-]+\/)*$/.test(base)) throw new Error(`--base: "${base}" must begin and end with a slash, such as /svc/docs/`);
	writeSource(base);
	await build(source);
	if (values.build !== true) await serve({ root: source, base, port: Number(port) });
}

try {
	await main();
} catch (error) {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
	process.exitCode = 1;
}
