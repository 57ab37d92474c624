/** Source maps that name sources without holding their text: the sources are not in the package. */
export function findMapProblems(files: readonly string[], read: (file: string) => string | undefined): string[] {
	return files
		.filter((file) => file.endsWith(".map"))
		.filter((file) => {
			const { sources, sourcesContent } = JSON.parse(read(file) ?? "{}") as { sources?: unknown[]; sourcesContent?: unknown[] };
			return sources?.length !== sourcesContent?.length;
		})
		.map((file) => `${file} points to sources that are not in the package; hint: npm run build`);
}
