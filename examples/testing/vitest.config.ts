import { defineConfig } from 'vitest/config';

export default defineConfig({ test: { include: ['examples/testing/vitest.example.ts'] } });
