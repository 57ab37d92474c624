import { readdir } from "node:fs/promises";
import { parseArgs } from "node:util";
import { compareBuilds } from "./against/main.ts";
import { proveComparisons } from "./against/prove.ts";
import { type Benchmark, createResources, runRounds } from "./harness/benchmark.ts";
import { describeMachine } from "./harness/machine.ts";
import { toVerdicts } from "./harness/report.ts";

// Measures the service against its limits: `npm run bench [-- <id or part of a file name> …] [--rounds N] [--quick] [--profile]`.
// Compares it with another build: `npm run bench -- --against <build> [<id> …] [--turns N] [--counts]`, which fails if it is slower.
// Shows how far to trust these comparisons: `npm run bench -- --prove <times> [<id> …]`.
// Needs a build (`npm run build`). bench/NOTES.md describes what each benchmark measures and how builds are compared.
const { values: options, positionals: names } = parseArgs({
	allowPositionals: true,
	options: {
		rounds: { type: "string" },
		/** Seconds instead of minutes; shows that everything works, not how fast it is. */
		quick: { type: "boolean", default: false },
		/** Show where the server's time goes. The figures suffer a little. */
		profile: { type: "boolean", default: false },
		/** Directory of another build, or of a checkout with one. */
		against: { type: "string" },
		/** Compare what an operation does (statements, calls, bytes) instead of how fast it is. */
		counts: { type: "boolean", default: false },
		/** How often to compare the build with itself and with a copy that is slower by 3 %. */
		prove: { type: "string" },
		/** Turns of each build in a comparison, at least. */
		turns: { type: "string", default: "14" },
	},
});

async function main(): Promise<void> {
	if (options.against !== undefined) {
		const isSlower = await compareBuilds({
			against: options.against,
			names,
			turns: toNumber("turns", options.turns),
			counts: options.counts,
		});
		process.exitCode = isSlower ? 1 : 0;
		return;
	}
	if (options.prove !== undefined) {
		const isRight = await proveComparisons({
			repetitions: toNumber("prove", options.prove),
			names,
			turns: toNumber("turns", options.turns),
		});
		process.exitCode = isRight ? 0 : 1;
		return;
	}
	if (options.profile) process.env["SVC_BENCH_PROFILE"] = "1";
	const rounds = toNumber("rounds", options.rounds ?? (options.quick ? "1" : "5"));
	const benchmarks = await findBenchmarks();
	process.stdout.write(`${await describeMachine()}\n`);
	const shared = createResources();
	try {
		for (const benchmark of benchmarks) {
			process.stdout.write(`${benchmark.id}  ${benchmark.title}\n`);
			const measurements = await runRounds(benchmark, {
				rounds,
				quick: options.quick,
				shared,
				onRound: (number, { detail }) => void process.stdout.write(`  round ${number}: ${detail}\n`),
			});
			for (const verdict of toVerdicts(benchmark.goals, measurements)) process.stdout.write(`  ${verdict}\n`);
		}
	} finally {
		await shared.stop();
	}
}

function toNumber(option: string, text: string): number {
	if (!/^[1-9]\d{0,2}$/.test(text)) throw new Error(`--${option}: must be a number from 1 to 999`);
	return Number(text);
}

/** The benchmarks asked for, or all, in the order of their numbers. */
async function findBenchmarks(): Promise<readonly Benchmark[]> {
	const files = (await readdir(import.meta.dirname)).filter((file) => /^p\d+-.*\.ts$/.test(file));
	const wanted = files.filter((file) => names.length === 0 || names.some((name) => isNamed(file, name)));
	if (wanted.length === 0) throw new Error(`no benchmark is called ${names.join(" or ")}; there are ${files.join(", ")}`);
	const numbered = wanted.sort((a, b) => Number.parseInt(a.slice(1), 10) - Number.parseInt(b.slice(1), 10));
	return Promise.all(numbered.map(async (file) => ((await import(`./${file}`)) as { readonly benchmark: Benchmark }).benchmark));
}

/** `p1` must not mean P10 as well. */
function isNamed(file: string, name: string): boolean {
	const [id, ...rest] = file.replace(/\.ts$/, "").split("-");
	return name.toLowerCase() === id || rest.join("-").includes(name.toLowerCase());
}

await main();
